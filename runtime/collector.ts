import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Starts V8's full collection only when the heap has doubled since the last one. By default V8
 * collects at a tenth or a third more, because it takes the cores beside the program for free
 * (decision 0070).
 */
export const roomToGrow = '--heap-growing-percent=100'

/**
 * Counts buffers apart; by default V8 counts the bytes of buffers in flight as if they were lasting
 * objects.
 */
export const buffersApart = '--external-memory-accounted-in-global-limit'

/**
 * Makes full collections rarer in the whole process, threads included. Otherwise the traffic of a
 * role causes one every second; with this it is a few times less often (decision 0067). A node keeps
 * counting the bytes of buffers: they are frames, and could exceed its memory (decision 0069).
 */
export function collectLessOften({ isNode }: { readonly isNode: boolean }): void {
  setFlagsFromString(roomToGrow)
  if (!isNode) setFlagsFromString(buffersApart)
}

/** Runs a full collection now, which stops the process for some tenths of a second: only for an idle process. */
export function collectNow(): void {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  collect()
}
