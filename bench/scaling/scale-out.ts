import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startMediaServer } from '../../cli/render/media-server.ts'
import { makeMedia } from '../peers/media.ts'
import { addressesBy } from '../peers/offering.ts'
import { makeWarmingUp } from '../peers/warming-up.ts'
import type { Workload } from '../peers/workload.ts'
import { workloads } from '../peers/workloads.ts'
import { childrenNamed } from '../processor-time.ts'
import { secondsOf, showSpread, showTable, spreadOf } from '../statistics.ts'
import { type Job, startWarmFarm, type WarmFarm } from '../warm-farm.ts'
import { holdToCores } from './cpu-quota.ts'

const counts = [1, 2, 4, 8] as const
/** Eight nodes leave 0.4 of two cores to Postgres, Temporal and the other roles. */
const coresOfNode = 0.2

type Turn = { readonly seconds: number; readonly stages: Job['stages'] }

/**
 * Measures how much sooner more nodes have made a film: W1 and W6 of the comparison with peers by 1, 2, 4 and 8
 * nodes, each held to a fifth of a core. So two cores show what more machines would. Each turn has a
 * farm of its own, warmed up with other work. `only`: one workload, by the beginning of its name.
 */
export async function benchScaleOut(repeats: number, only = ''): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'farm-scale-out-'))
  const server = await startMediaServer()
  const address = addressesBy(server)
  try {
    const wanted = workloads(await makeMedia(folder)).filter(
      ({ name }) => /^W[16] /.test(name) && name.startsWith(only),
    )
    const warmUp = await makeWarmingUp(folder, address)
    for (const workload of wanted) {
      const turns = counts.map((): Turn[] => [])
      for (let turn = 0; turn < repeats; turn += 1) {
        for (const [at, nodes] of counts.entries()) {
          const bench = { trustedHosts: server.host, address, warmUp, nodes }
          turns[at]?.push(await renderBy(workload, bench))
        }
      }
      process.stdout.write(
        `\n${workload.name}, median (min .. max) of ${repeats}\n${table(turns)}\n`,
      )
    }
  } finally {
    server.close()
    await rm(folder, { recursive: true, force: true })
  }
}

async function renderBy(
  { request }: Workload,
  bench: {
    readonly trustedHosts: string
    readonly address: (file: string) => string
    readonly warmUp: (farm: WarmFarm) => Promise<void>
    readonly nodes: number
  },
): Promise<Turn> {
  const { trustedHosts, address, warmUp, nodes } = bench
  // One lane a node: more nodes then differ only in number.
  const env = { FARM_LANES: '1', FARM_SLOTS: '2' }
  const farm = await startWarmFarm({ trustedHosts, workers: nodes, env })
  const freeing: (() => Promise<void>)[] = []
  try {
    await warmUp(farm)
    for (const pid of await childrenNamed(farm.pid, 'worker')) {
      freeing.push(await holdToCores(pid, coresOfNode))
    }
    if (freeing.length !== nodes) throw new Error(`${nodes} nodes must run. Got ${freeing.length}`)
    let stages: Job['stages'] = {}
    const seconds = await secondsOf(async () => {
      stages = (await farm.render(request(address).payload)).stages
    })
    return { seconds, stages }
  } finally {
    await farm.stop()
    for (const free of freeing) await free()
  }
}

function table(turns: readonly (readonly Turn[])[]): string {
  const stageNames = [...new Set(turns.flat().flatMap(({ stages }) => Object.keys(stages)))]
  const alone = turns[0] ?? []
  const rows = turns.map((of, at) => {
    const nodes = counts[at] ?? Number.NaN
    const speedUp = spreadOf(
      of.map(({ seconds }, turn) => (alone[turn]?.seconds ?? Number.NaN) / seconds),
    )
    return [
      String(nodes),
      showSpread(spreadOf(of.map(({ seconds }) => seconds))),
      showSpread(speedUp, 2),
      (speedUp.median / nodes).toFixed(2),
      ...stageNames.map((name) =>
        spreadOf(of.map(({ stages }) => stages[name]?.seconds ?? 0)).median.toFixed(1),
      ),
    ]
  })
  return showTable(['nodes', 'seconds', 'speed-up', 'efficiency', ...stageNames], rows)
}
