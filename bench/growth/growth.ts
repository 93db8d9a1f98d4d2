import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startMediaServer } from '../../cli/render/media-server.ts'
import { secondsOf, showTable, spreadOf } from '../statistics.ts'
import { startWarmFarm, type WarmFarm } from '../warm-farm.ts'
import { drawGrowth, type Line } from './plot.ts'
import { growthSeries, type Series, type Step } from './series.ts'

const root = join(import.meta.dirname, '..', '..')
const photo = join(root, 'examples', 'launch', 'media', 'dawn.jpg')

/**
 * Measures how the time from POST to completed grows with frames, pixels, layers, scenes,
 * concurrent films and nodes. Prints a table and draws docs/growth.svg.
 */
export async function benchGrowth(repeats: number): Promise<void> {
  const server = await startMediaServer()
  try {
    const address = server.offer(photo)
    const mark = markMaker()
    // The first turn warms up the farm.
    const turns = Array.from({ length: repeats + 1 }, () => growthSeries(address, mark))
    const lines: Line[] = []
    for (const at of turns[0]?.keys() ?? []) {
      const line = await measure(
        turns.flatMap((turn) => turn[at] ?? []),
        server.host,
      )
      process.stdout.write(`${tableOf(line)}\n`)
      lines.push(line)
      await writeFile(join(root, 'docs', 'growth.svg'), drawGrowth(lines))
    }
  } finally {
    server.close()
  }
}

/**
 * Measures one series, given once for each turn; of the first turn only its first step runs,
 * uncounted.
 */
async function measure([series, ...turns]: readonly Series[], trustedHosts: string): Promise<Line> {
  const [first] = series?.steps ?? []
  if (!series || !first) throw new Error('There must be a turn to measure. Got none')
  const { name, unit, steps, growsNodes } = series
  const seconds = steps.map((): number[] => [])
  const run = async (farm: WarmFarm, at: number, step: Step) =>
    void seconds[at]?.push(await secondsOf(() => make(farm, step)))
  if (growsNodes) {
    for (const [at, { x }] of steps.entries()) {
      // One lane per node: more nodes then differ only in number.
      const env = { FARM_LANES: '1', FARM_SLOTS: '2' }
      await withFarm({ trustedHosts, workers: x, env }, first, async (farm) => {
        for (const turn of turns)
          for (const step of turn.steps.slice(at, at + 1)) await run(farm, at, step)
      })
    }
  } else {
    await withFarm({ trustedHosts }, first, async (farm) => {
      for (const turn of turns)
        for (const [at, step] of turn.steps.entries()) await run(farm, at, step)
    })
  }
  const points = steps.map(({ x }, at) => ({ x, seconds: spreadOf(seconds[at] ?? []) }))
  return { name, unit, points, ...(growsNodes && { falls: true }) }
}

async function make(farm: WarmFarm, { payload, items }: Step): Promise<void> {
  if (items === undefined) await farm.render(payload)
  else await farm.renderBulk({ payload, items: names(items) })
}

const names = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ variables: { name: `Guest ${i + 1}` } }))

async function withFarm(
  options: Parameters<typeof startWarmFarm>[0],
  warmUp: Step,
  work: (farm: WarmFarm) => Promise<void>,
): Promise<void> {
  const farm = await startWarmFarm(options)
  try {
    await make(farm, warmUp)
    await work(farm)
  } finally {
    await farm.stop()
  }
}

/**
 * Formats a line. `times`: multiple of the first step's time; as much as x grew would be
 * proportional.
 */
function tableOf({ name, unit, points }: Line): string {
  const first = points[0]
  const rows = points.map(({ x, seconds }) => [
    ...[x.toPrecision(3).replace(/\.0+$/, ''), seconds.median.toFixed(2)],
    ...[`${seconds.min.toFixed(2)} .. ${seconds.max.toFixed(2)}`],
    ...[`${(x / (first?.x ?? x)).toFixed(1)}x`],
    `${(seconds.median / (first?.seconds.median ?? Number.NaN)).toFixed(1)}x`,
  ])
  const header = [unit, 'seconds', 'min .. max', 'x grew', 'time grew']
  return `\n${name}\n${showTable(header, rows)}`
}

/** Returns a maker of unused colours: an element marked with one is in no cache. */
function markMaker(): () => string {
  let next = Math.floor(Math.random() * 0xff_ff_ff)
  return () => {
    next = (next + 1) % 0xff_ff_ff
    return `#${next.toString(16).padStart(6, '0')}`
  }
}
