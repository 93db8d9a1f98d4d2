import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * V8 looks through all objects when there is twice as much as it left the last time. Left to itself it does when there
 * is a tenth or a third more, for it takes the cores that look beside the program for free (decision 0070).
 */
export const roomToGrow = '--heap-growing-percent=100'

/** Without it V8 counts the bytes of buffers in flight as if they were objects that stay. */
export const buffersApart = '--external-memory-accounted-in-global-limit'

/**
 * For the whole process, threads with it. What travels through a role makes V8's collector look through all objects
 * every second, and with this a few times less often (decision 0067). A node keeps counting the bytes of buffers: they
 * are frames, and would take it beyond its memory (decision 0069).
 */
export function collectLessOften({ isNode }: { readonly isNode: boolean }): void {
  setFlagsFromString(roomToGrow)
  if (!isNode) setFlagsFromString(buffersApart)
}

/** Looks through all objects now, which stops the process for some tenths of a second: for one that has nothing to do. */
export function collectNow(): void {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  collect()
}
