import { exitCodes, Failure } from '../failure.ts'

/** Rejects at Ctrl-C. A second one ends the process at once. */
export function untilInterrupted(): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  let asked = false
  const stop = () => {
    if (asked) process.exit(exitCodes.interrupted)
    asked = true
    reject(new Failure('interrupted', { exitCode: exitCodes.interrupted }))
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
  promise.catch(() => undefined)
  return promise
}
