import { setImmediate as nextTick } from 'node:timers/promises'

/** Runs one piece of long work after everything else that waits for this process. */
export type Turns = <T>(work: () => T) => Promise<T>

/**
 * Long work in pieces, one piece at a time over all who have some, and between two of them whatever
 * else has come in. So nobody waits for longer than one piece, however many ask at once.
 */
export function createTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const mine = last.then(() => nextTick()).then(work)
    last = mine.catch(() => undefined)
    return mine
  }
}
