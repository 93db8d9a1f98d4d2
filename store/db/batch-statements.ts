import { Batcher } from '../../runtime/batcher.ts'
import { isDatabaseAway } from './database.ts'

type RunBatch<Item, Result> = (items: readonly Item[]) => Promise<readonly (Result | Error)[]>

/**
 * Batches concurrent requests into statements of at most `most` each. `runBatch` answers in the order
 * of the requests, and does all or nothing. A batch that the database refuses is retried one by
 * one, so that one bad request fails alone. `keyOf`: requests with the same key run one after the
 * other.
 */
export function batchStatements<Item, Result>(
  runBatch: RunBatch<Item, Result>,
  { most, keyOf }: { most: number; keyOf?: (item: Item) => string },
): Batcher<Item, Result> {
  const runFairly = withSingleRetry(runBatch)
  if (keyOf === undefined) return new Batcher(runFairly, { most })
  return new Batcher(
    async (items) => {
      const results: (Result | Error)[] = []
      for (const wave of wavesOf(items, keyOf)) {
        const waveResults = await runFairly(wave.map(({ item }) => item))
        for (const [nth, { index }] of wave.entries()) results[index] = waveResults[nth] as Result
      }
      return results
    },
    { most },
  )
}

/** Retries each request of a refused batch by itself. */
function withSingleRetry<Item, Result>(runBatch: RunBatch<Item, Result>): RunBatch<Item, Result> {
  return async (items) => {
    try {
      return await runBatch(items)
    } catch (error) {
      if (items.length === 1 || isDatabaseAway(error)) throw error
    }
    const results: (Result | Error)[] = []
    for (const item of items) {
      const [result] = await runBatch([item]).catch((error: unknown) => [error as Error])
      results.push(result as Result)
    }
    return results
  }
}

/** Splits requests into batches: the first of each key, then the second, and so on. */
function wavesOf<Item>(items: readonly Item[], keyOf: (item: Item) => string) {
  const counts = new Map<string, number>()
  const waves: { readonly item: Item; readonly index: number }[][] = []
  for (const [index, item] of items.entries()) {
    const key = keyOf(item)
    const nth = counts.get(key) ?? 0
    counts.set(key, nth + 1)
    const wave = waves[nth] ?? []
    waves[nth] = wave
    wave.push({ item, index })
  }
  return waves
}
