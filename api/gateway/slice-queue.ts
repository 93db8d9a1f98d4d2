import { setImmediate as nextTick } from 'node:timers/promises'

/** Runs one piece of long work after everything else that waits for this process. */
export type SliceQueue = <T>(work: () => T) => Promise<T>

/**
 * Runs long work in slices, one at a time over all callers, and serves other events between two of
 * them. So no request waits for longer than one slice, however many are sliced at once.
 */
export function createSliceQueue(): SliceQueue {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const mine = last.then(() => nextTick()).then(work)
    last = mine.catch(() => undefined)
    return mine
  }
}
