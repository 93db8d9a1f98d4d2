import { execFile, spawn } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { processorTimes } from './processor-time.ts'
import { secondsOf, showSpread, showTable, spreadOf } from './statistics.ts'

const run = promisify(execFile)

/** The last commit before agents were served. */
const beforeAgents = '7f24f97d'
const checkout = join(import.meta.dirname, '..')

type Cost = { readonly clock: number; readonly processor: number }
type Pair = { readonly now: Cost; readonly before: Cost }

/**
 * Renders a film of two seconds with a new data folder by this checkout and by an earlier commit, in
 * turns, each with what V8 kept of its code: `npm run bench first-film [PAIRS] [COMMIT]`. Needs an idle
 * machine. The commit runs with the packages of this checkout.
 */
export async function benchFirstFilm(pairs: number, commit = beforeAgents): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'farm-bench-'))
  try {
    const earlier = await checkOut(commit, folder)
    const file = join(folder, 'film.json')
    await writeFile(file, JSON.stringify(film))
    const costs = async (home: string) => await costOf(home, { file, folder })
    // Programs and code that the disk's cache lacks at first are left out.
    await costs(checkout)
    await costs(earlier)
    const measured: Pair[] = []
    for (let pair = 0; pair < pairs; pair += 1) {
      // The first of a pair changes, for it may run while the other's farm still ends.
      if (pair % 2 === 0) {
        const now = await costs(checkout)
        measured.push({ now, before: await costs(earlier) })
      } else {
        const before = await costs(earlier)
        measured.push({ before, now: await costs(checkout) })
      }
    }
    process.stdout.write(`\n\`farm render\` from nothing beside ${commit}, ${pairs} pairs\n`)
    process.stdout.write(`${showTable(['', 'now', 'before', 'of before'], rowsOf(measured))}\n`)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const film = {
  ...{ width: 640, height: 360, duration: 2 },
  visuals: [{ type: 'TEXT', html: '<b>First film</b>', enterAnimation: 'slideleft' }],
}

/** Writes a commit's files to a folder. @returns the folder */
async function checkOut(commit: string, folder: string): Promise<string> {
  const home = await mkdtemp(join(folder, 'earlier-'))
  const archive = join(folder, 'earlier.tar')
  await run('git', ['archive', '--output', archive, commit], { cwd: checkout })
  await run('tar', ['-xf', archive, '-C', home])
  await symlink(join(checkout, 'node_modules'), join(home, 'node_modules'))
  return home
}

/** Renders the film by the farm of a checkout, which it starts and ends. */
async function costOf(
  home: string,
  { file, folder }: { readonly file: string; readonly folder: string },
): Promise<Cost> {
  const data = await mkdtemp(join(folder, 'data-'))
  const argv = ['render', file, '--data', data]
  const [before = 0] = await processorTimes([process.pid])
  const clock = await secondsOf(async () => await ended(join(home, 'farm'), argv, folder))
  const [after = 0] = await processorTimes([process.pid])
  await rm(data, { recursive: true, force: true })
  return { clock, processor: after - before }
}

async function ended(farm: string, argv: readonly string[], cwd: string): Promise<void> {
  const child = spawn(farm, argv, { cwd, stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (text) => {
    said += text
  })
  const code = await new Promise((resolve) => child.once('close', resolve))
  if (code !== 0) throw new Error(`${argv.join(' ')} ended with ${code}: ${said.slice(-2000)}`)
}

function rowsOf(pairs: readonly Pair[]): string[][] {
  const of = (value: (pair: Pair) => number) => showSpread(spreadOf(pairs.map(value)), 2)
  return (['clock', 'processor'] as const).map((kind) => [
    `${kind} seconds, median (min .. max)`,
    of(({ now }) => now[kind]),
    of(({ before }) => before[kind]),
    of(({ now, before }) => now[kind] / before[kind]),
  ])
}
