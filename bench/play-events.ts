import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Plan } from '../core/plan/plan.ts'
import { startWarmFarm, type WarmFarm } from './warm-farm.ts'

/**
 * Measures seconds from a segment's end, which is when its object is stored, to the event at the
 * customer that counts its frames. One lane renders one segment at a time, so the frames of later
 * segments never count for earlier ones.
 */
export async function eventDelays(films: readonly object[]): Promise<readonly number[]> {
  const farm = await startWarmFarm({ env: { FARM_LANES: '1' } })
  try {
    const delays: number[] = []
    for (const payload of films) delays.push(...(await delaysOf(farm, payload)))
    return delays
  } finally {
    await farm.stop()
  }
}

async function delaysOf(farm: WarmFarm, payload: object): Promise<readonly number[]> {
  const before = new Set((await segmentFiles(farm)).map(({ path }) => path))
  const { jobId } = await farm.client.submit({ payload })
  const events: { readonly at: number; readonly frames: number }[] = []
  for await (const { frames, state } of farm.client.watch(jobId)) {
    if (state === 'failed') throw new Error('the film failed')
    events.push({ at: Date.now(), frames: frames.done })
  }
  const { segments } = await planOf(farm, jobId)
  const made = (await segmentFiles(farm)).filter(({ path }) => !before.has(path))
  let frames = 0
  return made
    .toSorted((a, b) => a.storedAt - b.storedAt)
    .map(({ index, storedAt }) => {
      frames += segments[index]?.frames ?? 0
      const event = events.find((each) => each.frames >= frames)
      if (!event) throw new Error('every segment must have an event')
      return (event.at - storedAt) / 1000
    })
}

const objectsOf = ({ data }: WarmFarm) => join(data, 'objects')

/** Lists the segments that the farm has stored, each with the time at which it was. */
export async function segmentFiles(farm: WarmFarm) {
  const names = await readdir(objectsOf(farm), { recursive: true })
  const found = names.filter((name) => /\/segment-\d+$/.test(name))
  return await Promise.all(
    found.map(async (name) => {
      const path = join(objectsOf(farm), name)
      const { mtimeMs } = await stat(path)
      return { path, storedAt: mtimeMs, index: Number(name.replace(/.*-/, '')) }
    }),
  )
}

export async function planOf(farm: WarmFarm, jobId: string): Promise<Plan> {
  const names = await readdir(objectsOf(farm), { recursive: true })
  const name = names.find((each) => each.endsWith(`${jobId}/plan.json`))
  if (name === undefined) throw new Error('a film must have a plan')
  return JSON.parse(await readFile(join(objectsOf(farm), name), 'utf8')) as Plan
}
