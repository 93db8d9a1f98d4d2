import { secondsOf, showSpread, showTable, spreadOf } from './statistics.ts'
import { startWarmFarm } from './warm-farm.ts'

/**
 * Measures the overhead of the farm itself: wall seconds of a 1-second 320x180 film through a warm
 * farm, from POST to completed, and the seconds of each stage. Every film differs, so nothing is
 * reused.
 */
export async function benchFarm(repeats: number): Promise<void> {
  const farm = await startWarmFarm()
  try {
    await farm.render(film('warm up'))
    const totals: number[] = []
    const stages = new Map<string, number[]>()
    for (let run = 0; run < repeats; run += 1) {
      const wall = await secondsOf(async () => {
        const job = await farm.render(film(`run ${run}`))
        for (const [stage, { seconds }] of Object.entries(job.stages)) {
          stages.set(stage, [...(stages.get(stage) ?? []), seconds])
        }
      })
      totals.push(wall)
    }
    print(totals, stages)
  } finally {
    await farm.stop()
  }
}

function film(words: string) {
  return {
    name: words,
    width: 320,
    height: 180,
    duration: 1,
    visuals: [{ type: 'TEXT', html: `<b>${words}</b>`, position: 'center-center' }],
  }
}

function print(totals: readonly number[], stages: ReadonlyMap<string, number[]>): void {
  const rows = [...stages].map(([stage, seconds]) => [stage, showSpread(spreadOf(seconds), 3)])
  rows.push(['POST to completed', showSpread(spreadOf(totals), 3)])
  process.stdout.write(
    `\nA 1-second 320x180 film through a warm farm, seconds: median (min .. max) of ${totals.length}\n`,
  )
  process.stdout.write(`${showTable(['stage', 'seconds'], rows)}\n`)
}
