import { secondsOf, showSpread, showTable, spreadOf } from './statistics.ts'
import type { Job, WarmFarm } from './warm-farm.ts'

export type MeasuredFilm = {
  readonly title: string
  readonly frames: number
  readonly repeats: number
  /** Returns a film for the run; each must differ in every frame, so that nothing is reused. */
  readonly film: (run: number) => object
  /** Other measurements in the same run, by name; each resolves to frames a second. */
  readonly beside?: Readonly<Record<string, (job: Job) => Promise<number>>>
}

/** Prints the rate of a film through a warm farm, from POST to completed, and each stage's seconds. */
export async function measureFilm(
  farm: WarmFarm,
  { title, frames, repeats, film, beside = {} }: MeasuredFilm,
): Promise<void> {
  const rates = new Map<string, number[]>()
  const stages = new Map<string, number[]>()
  const note = (table: Map<string, number[]>, name: string, value: number) =>
    table.set(name, [...(table.get(name) ?? []), value])
  for (let run = 0; run < repeats; run += 1) {
    await farm.takeNodeSeconds()
    let job: Job | undefined
    const wall = await secondsOf(async () => {
      job = await farm.render(film(run))
    })
    for (const [stage, took] of Object.entries(job?.stages ?? {})) note(stages, stage, took.seconds)
    for (const [stage, took] of await farm.takeNodeSeconds()) note(stages, `  node: ${stage}`, took)
    note(stages, 'POST to completed', wall)
    note(rates, 'the farm', frames / wall)
    for (const [name, measure] of Object.entries(beside)) {
      if (job) note(rates, name, await measure(job))
    }
  }
  const rows = (table: ReadonlyMap<string, number[]>, digits: number) =>
    [...table].map(([name, values]) => [name, showSpread(spreadOf(values), digits)])
  process.stdout.write(
    `\n${title}, ${frames} frames, median (min .. max) of ${repeats}\n` +
      `${showTable(['', 'frames/s'], rows(rates, 1))}\n\n${showTable(['stage', 'seconds'], rows(stages, 2))}\n`,
  )
}
