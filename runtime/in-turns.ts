import { setImmediate as othersTurn } from 'node:timers/promises'

/** Shorter than what anybody notices who waits for an answer. */
const turnMs = 10

/** Takes all steps of long work, for some milliseconds at a time; between them whatever else has come has its turn. */
export async function inTurns<T>(steps: Generator<void, T>): Promise<T> {
  for (;;) {
    const began = performance.now()
    do {
      const { done, value } = steps.next()
      if (done) return value
    } while (performance.now() - began < turnMs)
    await othersTurn()
  }
}
