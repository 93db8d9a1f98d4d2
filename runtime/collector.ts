import { setFlagsFromString } from 'node:v8'

/** Without it V8 counts the bytes of buffers in flight as if they were objects that stay. */
export const collectorFlag = '--external-memory-accounted-in-global-limit'

/**
 * For the whole process, threads with it: what travels through a role makes V8's collector look through all objects
 * every second, and with this a few times less often (decision 0067). A node does not ask for it (decision 0069).
 */
export function collectLessOften(): void {
  setFlagsFromString(collectorFlag)
}
