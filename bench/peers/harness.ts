import { execFile } from 'node:child_process'
import { access } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { type Contest, outputFile, type Peer } from './contest.ts'
import type { WorkRequest } from './workload.ts'

const run = promisify(execFile)

type WorkloadId = 'W1' | 'W2' | 'W3' | 'W4' | 'W5' | 'W6'

/** Module `projects.mjs` of the harness. */
type Projects = {
  readonly project: (
    id: WorkloadId,
    media: (name: string) => string,
  ) => Pick<WorkRequest, 'payload'> & {
    /** Variables of each output, if there are several. */
    readonly items?: readonly Readonly<Record<string, string>>[]
  }
}

/**
 * Command of the harness's peer. `$home` is its installation folder; the workload and the output's
 * path follow as arguments.
 */
type Entry = {
  readonly name: string
  readonly works: readonly WorkloadId[]
  /**
   * File that exists once it is installed, within `$home`; absent: needs only the harness itself.
   */
  readonly installed?: string
  readonly argv: readonly string[]
  /** Command that prepares its input; the workload replaces `$work`. */
  readonly prepare?: readonly string[]
}

const films: readonly WorkloadId[] = ['W1', 'W2', 'W3', 'W6']
const all: readonly WorkloadId[] = [...films, 'W4', 'W5']

/** Peers that open a window get a virtual display. */
const unseen = ['xvfb-run', '-a']

const entries: readonly Entry[] = [
  { name: 'ffmpeg by hand', works: all, argv: ['node', 'peers/ffmpeg.mjs'] },
  {
    ...{ name: 'ffmpeg by hand, smooth zoom', works: ['W1'] },
    argv: ['node', 'peers/ffmpeg.mjs', '$work', '$output', '--smooth'],
  },
  {
    ...{ name: 'encoder alone', works: films, argv: ['node', 'peers/limit.mjs', 'yuv'] },
    prepare: ['node', 'peers/limit.mjs', 'prepare', '$work', 'yuv420p'],
  },
  {
    ...{ name: 'Remotion', works: all, installed: 'remotion/node_modules/remotion' },
    argv: ['node', 'peers/remotion/render.mjs'],
  },
  {
    ...{ name: 'editly', works: ['W1', 'W2', 'W3', 'W4'], installed: 'editly/node_modules/editly' },
    argv: [...unseen, 'node', 'peers/editly.mjs'],
  },
  {
    ...{ name: 'MoviePy', works: all, installed: 'py/venv/bin/python' },
    argv: ['$home/py/venv/bin/python', 'peers/moviepy_peer.py'],
  },
  {
    ...{ name: 'MLT', works: ['W1', 'W2'], installed: '/usr/bin/melt' },
    argv: ['node', 'peers/melt.mjs'],
  },
  ...['satori-resvg', 'sharp-svg', 'napi-canvas', 'puppeteer'].map((engine) => ({
    ...{ name: engine, works: ['W5'] as const, installed: 'image/node_modules/satori' },
    argv: ['node', 'peers/stills.mjs', engine, '$output'],
  })),
]

/** Longer than any run that ends. */
const timeoutMs = 420_000

/**
 * Returns the workloads of the harness in `folder`, with its peers: all that its `setup.sh` has
 * installed in `PEERS_HOME` (default: `peers` in the temporary folder). The files are in
 * `PEERS_CACHE` (default: `cache` in `PEERS_HOME`).
 */
export async function contestsOfHarness(folder: string): Promise<readonly Contest[]> {
  const home = process.env.PEERS_HOME ?? join(tmpdir(), 'peers')
  const cache = process.env.PEERS_CACHE ?? join(home, 'cache')
  const projects = pathToFileURL(join(folder, 'projects.mjs')).href
  const { project } = (await import(projects)) as Projects
  const here: Entry[] = []
  for (const entry of entries) if (await isInstalled(entry, home)) here.push(entry)
  return all.map((id) => ({
    ...{ name: id, isStill: id === 'W5' },
    request: (address) => {
      const { payload, items } = project(id, (name) => address(join(cache, name)))
      return items ? { payload, items: items.map((variables) => ({ variables })) } : { payload }
    },
    peers: here
      .filter(({ works }) => works.includes(id))
      .map((entry) => peerOf(entry, { id, folder, home, cache })),
  }))
}

async function isInstalled({ installed }: Entry, home: string): Promise<boolean> {
  if (installed === undefined) return true
  const place = installed.startsWith('/') ? installed : join(home, installed)
  return access(place).then(
    () => true,
    () => false,
  )
}

function peerOf(
  { name, argv, prepare }: Entry,
  { id, folder, home, cache }: { id: WorkloadId; folder: string; home: string; cache: string },
): Peer {
  const env = { ...process.env, PEERS_HOME: home, PEERS_CACHE: cache, PATH: machinesOwnPath() }
  const start = async (all: readonly string[], output = '') => {
    const known = { $work: id, $output: output, $home: home }
    const [program = '', ...args] = all.map((word) =>
      word.replace(/\$(?:work|output|home)/, (key) => known[key as keyof typeof known]),
    )
    await run(program, args, { cwd: folder, env, timeout: timeoutMs, maxBuffer: 2 ** 26 })
  }
  const isPlaced = argv.includes('$output')
  return {
    name,
    ...(prepare && { prepare: () => start(prepare) }),
    run(into) {
      // Several outputs fill a folder.
      const output = id === 'W4' || id === 'W5' ? into : outputFile(into, 0, { isStill: false })
      return start(isPlaced ? argv : [...argv, '$work', '$output'], output)
    },
  }
}

/**
 * Returns PATH without the programs of our packages: the peers' own were built for the machine's
 * Node.
 */
function machinesOwnPath(): string {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return folders.filter((folder) => !folder.includes('node_modules')).join(delimiter)
}
