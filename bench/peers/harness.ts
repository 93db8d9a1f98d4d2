import { execFile } from 'node:child_process'
import { access } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { type Contest, outputFile, type Peer } from './contest.ts'
import type { WorkRequest } from './workloads.ts'

const run = promisify(execFile)

type WorkloadId = 'W1' | 'W2' | 'W3' | 'W4' | 'W5'

/** What the harness has in `projects.mjs`. */
type Projects = {
  readonly project: (
    id: WorkloadId,
    media: (name: string) => string,
  ) => Pick<WorkRequest, 'payload'> & {
    /** Variables of each output, where there are many. */
    readonly items?: readonly Readonly<Record<string, string>>[]
  }
}

/** How a peer of the harness is run; `$home` is where it was installed, and the workload and where its output goes follow. */
type Entry = {
  readonly name: string
  readonly works: readonly WorkloadId[]
  /** What there is once it is installed, within `$home`; absent: what the harness itself needs. */
  readonly installed?: string
  readonly words: readonly string[]
  /** Words that make ready what it reads; the workload is in the place of `$work`. */
  readonly prepare?: readonly string[]
}

const films: readonly WorkloadId[] = ['W1', 'W2', 'W3']
const all: readonly WorkloadId[] = [...films, 'W4', 'W5']

/** Those that open a window get one that nobody sees. */
const unseen = ['xvfb-run', '-a']

const entries: readonly Entry[] = [
  { name: 'ffmpeg by hand', works: all, words: ['node', 'peers/ffmpeg.mjs'] },
  {
    ...{ name: 'ffmpeg by hand, smooth zoom', works: ['W1'] },
    words: ['node', 'peers/ffmpeg.mjs', '$work', '$output', '--smooth'],
  },
  {
    ...{ name: 'encoder alone', works: films, words: ['node', 'peers/limit.mjs', 'yuv'] },
    prepare: ['node', 'peers/limit.mjs', 'prepare', '$work', 'yuv420p'],
  },
  {
    ...{ name: 'Remotion', works: all, installed: 'remotion/node_modules/remotion' },
    words: ['node', 'peers/remotion/render.mjs'],
  },
  {
    ...{ name: 'editly', works: [...films, 'W4'], installed: 'editly/node_modules/editly' },
    words: [...unseen, 'node', 'peers/editly.mjs'],
  },
  {
    ...{ name: 'MoviePy', works: all, installed: 'py/venv/bin/python' },
    words: ['$home/py/venv/bin/python', 'peers/moviepy_peer.py'],
  },
  {
    ...{ name: 'MLT', works: ['W1', 'W2'], installed: '/usr/bin/melt' },
    words: ['node', 'peers/melt.mjs'],
  },
  ...['satori-resvg', 'sharp-svg', 'napi-canvas', 'puppeteer'].map((engine) => ({
    ...{ name: engine, works: ['W5'] as const, installed: 'image/node_modules/satori' },
    words: ['node', 'peers/stills.mjs', engine, '$output'],
  })),
]

/** Longer than any takes that comes to an end. */
const timeoutMs = 420_000

/**
 * The workloads of the harness in `folder`, beside its peers: all that its `setup.sh` has installed in `PEERS_HOME`
 * (by default `peers` in the folder for what is temporary), on the files in `PEERS_CACHE` (by default `cache` there).
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
  { name, words, prepare }: Entry,
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
  const isSaid = words.includes('$output')
  return {
    name,
    ...(prepare && { prepare: () => start(prepare) }),
    run(into) {
      // Many outputs fill a folder.
      const output = id === 'W4' || id === 'W5' ? into : outputFile(into, 0, { isStill: false })
      return start(isSaid ? words : [...words, '$work', '$output'], output)
    },
  }
}

/** Without the programs of our packages: the peers' own were built for the machine's Node. */
function machinesOwnPath(): string {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return folders.filter((folder) => !folder.includes('node_modules')).join(delimiter)
}
