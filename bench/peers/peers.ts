import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startMediaServer } from '../../cli/render/media-server.ts'
import { showSpread, showTable, spreadOf } from '../statistics.ts'
import { startWarmFarm, type WarmFarm } from '../warm-farm.ts'
import { contestsByHand } from './by-hand.ts'
import { type Contest, outputFile, type Peer } from './contest.ts'
import { type Cost, costOf, untilIdle } from './cost.ts'
import { fetchAll } from './fetch-all.ts'
import { contestsOfHarness } from './harness.ts'
import { addressesBy } from './offering.ts'
import { makeWarmingUp } from './warming-up.ts'
import type { WorkRequest } from './workload.ts'

const run = promisify(execFile)

/**
 * Compares the farm with its peers: eight workloads through a warm farm with cold caches, then the
 * same once more. ffmpeg by hand, encoding the same frames from raw YUV, and other renderers take
 * turns with it. Each turn has a farm of its own, warmed up with other work: nothing of an earlier
 * turn helps.
 *
 * If the environment has `PEERS`, the folder of a harness with other renderers, its workloads and
 * all its installed peers are used (harness.ts). `only`: one workload, by the beginning of its
 * name.
 */
export async function benchPeers(repeats: number, only = ''): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'farm-peers-'))
  const server = await startMediaServer()
  const address = addressesBy(server)
  const { PEERS: harness } = process.env
  try {
    const all = await (harness ? contestsOfHarness(harness) : contestsByHand(folder))
    const contests = all.filter(({ name }) => name.startsWith(only))
    if (contests.length === 0) {
      const names = all.map(({ name }) => name).join(', ')
      throw new Error(`A workload must be one of ${names}. Got ${only}`)
    }
    const warmUp = await makeWarmingUp(folder, address)
    const bench = { trustedHosts: server.host, address, warmUp, folder, repeats }
    for (const contest of contests) {
      const table = showTable(header, await compare(contest, bench))
      process.stdout.write(`\n${contest.name}, median (min .. max) of ${repeats}\n${table}\n`)
    }
  } finally {
    server.close()
    await rm(folder, { recursive: true, force: true })
  }
}

type Bench = {
  readonly trustedHosts: string
  readonly address: (file: string) => string
  readonly warmUp: (farm: WarmFarm) => Promise<void>
  readonly folder: string
  readonly repeats: number
}

/** Costs of a peer's runs, and how similar its first output was to that of the first peer. */
type Row = {
  readonly name: string
  readonly costs: Cost[]
  likeness: string
  failure?: string
}

async function compare(contest: Contest, bench: Bench): Promise<string[][]> {
  const { folder, repeats, trustedHosts, address, warmUp } = bench
  const request = contest.request(address)
  // Nothing is removed before the end of all measurements (warm-farm.ts): each output has a folder
  // of its own.
  const place = (name: string, turn = 0) =>
    join(folder, `${contest.name} of ${name} ${turn}`.replaceAll(' ', '-'))
  const [byHand] = contest.peers
  const rows = new Map<string, Row>()
  const measure = async ({ name, run: work }: Peer) => {
    const row = rows.get(name) ?? { name, costs: [], likeness: '' }
    rows.set(name, row)
    if (row.failure !== undefined || hasRunEnough(row.costs)) return
    const into = place(name, row.costs.length)
    await mkdir(into)
    await untilIdle()
    try {
      row.costs.push(await costOf(() => work(into), into))
    } catch (error) {
      row.failure = String(error).split('\n').slice(0, 2).join(' ').slice(0, 200)
    }
  }
  for (const { prepare } of contest.peers) await prepare?.()
  for (let turn = 0; turn < repeats; turn += 1) {
    // The repetition needs a first run on the same farm.
    if (!hasRunEnough(rows.get(ours)?.costs ?? [])) {
      const farm = await startWarmFarm({ trustedHosts })
      try {
        await warmUp(farm)
        await measure({ name: ours, run: (into) => throughFarm(farm, { contest, request, into }) })
        await measure({ name: again, run: (into) => throughFarm(farm, { contest, request, into }) })
      } finally {
        await farm.stop()
      }
    }
    for (const peer of contest.peers) await measure(peer)
  }
  for (const { tidy } of contest.peers) await tidy?.()
  for (const row of rows.values()) {
    if (row.name === byHand?.name || row.failure !== undefined) continue
    row.likeness = await ssim(...pair(contest, [place(row.name), place(byHand?.name ?? ours)]))
  }
  return linesOf([...rows.values()])
}

const ours = 'farm'
const again = 'farm, the same again'

/** Limits a run of minutes to one or two measurements. */
function hasRunEnough([first, ...more]: readonly Cost[]): boolean {
  if (!first) return false
  return first.seconds > 100 || (first.seconds > 45 && more.length > 0)
}

const header = ['', 'seconds', 'CPU seconds', 'peak MB', 'MB', 'farm / this', 'SSIM to by hand']

function linesOf(rows: readonly Row[]): string[][] {
  const farm = rows.find(({ name }) => name === ours)?.costs ?? []
  return rows.map(({ name, costs, likeness, failure }) => {
    if (failure !== undefined) return [name, `failed: ${failure}`]
    const of = (key: keyof Cost, digits = 1) =>
      showSpread(spreadOf(costs.map((cost) => cost[key])), digits)
    // A run of minutes may have been repeated less often than the others.
    const ratios = costs.map(({ seconds }, i) => {
      return ((farm[i] ?? farm.at(-1))?.seconds ?? Number.NaN) / seconds
    })
    return [
      name,
      ...[of('seconds', 2), of('cpu'), of('memoryMb', 0), of('megabytes')],
      name === ours ? '' : showSpread(spreadOf(ratios), 2),
      likeness,
    ]
  })
}

async function throughFarm(
  farm: WarmFarm,
  { contest, request, into }: { contest: Contest; request: WorkRequest; into: string },
): Promise<void> {
  const { payload, items } = request
  const jobs = items ? await farm.renderBulk({ payload, items }) : [await farm.render(payload)]
  await fetchAll(
    jobs.map(({ url }, i) => {
      if (url === null) throw new Error('A completed job must have an address. Got none')
      return { url, file: outputFile(into, i, contest) }
    }),
  )
}

/** Returns the first output of each. */
function pair(contest: Contest, [one, other]: readonly [string, string]): [string, string] {
  return [outputFile(one, 0, contest), outputFile(other, 0, contest)]
}

/**
 * Returns the similarity of two outputs, which shows that they draw the same. It does not judge the
 * encoder.
 */
async function ssim(one: string, other: string): Promise<string> {
  const args = [
    ...['-v', 'info', '-nostdin', '-i', one, '-i', other],
    ...['-lavfi', '[0:v]format=yuv420p[a];[1:v]format=yuv420p[b];[a][b]ssim', '-f', 'null', '-'],
  ]
  // A failed run leaves nothing to compare.
  const { stderr } = await run('ffmpeg', args).catch(() => ({ stderr: '' }))
  return /All:([\d.]+)/.exec(stderr)?.[1] ?? 'unknown'
}
