import type { Log } from './log.ts'

/** Something started that must be stopped; stopping is done in the reverse order of starting. */
export type Stop = () => Promise<void> | void

const shutdownGraceMs = 20_000

/**
 * Keeps a role alive until SIGINT or SIGTERM, then runs the stops, last first. A second signal or the
 * end of the grace ends the process at once.
 */
export function stopOnSignal({ log, stops }: { log: Log; stops: readonly Stop[] }): void {
  let stopping = false
  const stop = async (why: string) => {
    if (stopping) return process.exit(1)
    stopping = true
    log.info({ why }, 'stopping')
    setTimeout(() => process.exit(1), shutdownGraceMs).unref()
    for (const each of [...stops].reverse()) {
      try {
        await each()
      } catch (error) {
        log.warn({ err: error }, 'a part did not stop cleanly')
      }
    }
    process.exit(0)
  }
  process.on('SIGINT', () => void stop('SIGINT'))
  process.on('SIGTERM', () => void stop('SIGTERM'))
}
