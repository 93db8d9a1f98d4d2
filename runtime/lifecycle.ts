import type { Log } from './log.ts'

/** Stops a started part; parts are stopped in reverse order of starting. */
export type Stop = () => Promise<void> | void

const shutdownGraceMs = 20_000

/** The longest grace of the roles in this process. */
let graceOfAllMs = 0

/** Stop functions of the roles in this process. */
const roles: ((why: string) => Promise<void>)[] = []
let isStopping = false

/**
 * Keeps a role alive until SIGINT or SIGTERM, then runs the stops, last first. A process with
 * several roles ends when all of them have stopped. A second signal or the end of the grace period
 * ends it at once. `graceMs` absent = 20 s.
 */
export function stopOnSignal({
  log,
  stops,
  graceMs = shutdownGraceMs,
}: {
  log: Log
  stops: readonly Stop[]
  graceMs?: number
}): void {
  graceOfAllMs = Math.max(graceOfAllMs, graceMs)
  if (roles.length === 0) {
    process.on('SIGINT', () => void stopAll('SIGINT'))
    process.on('SIGTERM', () => void stopAll('SIGTERM'))
  }
  roles.push(async (why) => {
    log.info({ why }, 'stopping')
    for (const each of [...stops].reverse()) {
      try {
        await each()
      } catch (error) {
        log.warn({ err: error }, 'a part did not stop cleanly')
      }
    }
  })
}

async function stopAll(why: string): Promise<void> {
  if (isStopping) process.exit(1)
  isStopping = true
  setTimeout(() => process.exit(1), graceOfAllMs).unref()
  await Promise.all(roles.map((stop) => stop(why)))
  process.exit(0)
}
