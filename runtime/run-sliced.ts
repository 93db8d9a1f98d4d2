import { setImmediate as othersTurn } from 'node:timers/promises'

/** Short enough that no waiting request notices. */
const sliceMs = 10

/** Runs all steps of long work in time slices of some milliseconds; other events run between slices. */
export async function runSliced<T>(steps: Generator<void, T>): Promise<T> {
  for (;;) {
    const began = performance.now()
    do {
      const { done, value } = steps.next()
      if (done) return value
    } while (performance.now() - began < sliceMs)
    await othersTurn()
  }
}
