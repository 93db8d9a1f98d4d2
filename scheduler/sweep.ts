import { setTimeout as sleep } from 'node:timers/promises'
import { isDatabaseAway } from '../store/db/database.ts'
import { endOutage } from '../store/db/statements/end-outage.ts'
import { expireLeases } from '../store/db/statements/expire-leases.ts'
import { takeBackDrained } from '../store/db/statements/take-back-drained.ts'
import { tellOfDueTasks } from '../store/db/statements/tell-of-due-tasks.ts'
import type { SchedulerContext } from './context.ts'
import { leaseMs } from './timing.ts'

/** A lost node's work waits at most so much longer than its lease. */
const sweepMs = 1_000

/** A node that its people drain may finish what it has for so long: some shards' time. */
const drainGraceMs = 60_000

/**
 * Takes leases away whose nodes fell silent, and tells of tasks whose wait is over, once a second, in every replica. A database that is
 * away is asked again at the next turn.
 * `onDatabase` is told at each turn whether the database was there.
 * @returns a function that stops it after the turn that runs.
 */
export function startSweep(
  context: SchedulerContext,
  onDatabase: (isThere: boolean) => void,
): () => Promise<void> {
  const stop = new AbortController()
  const ended = keepSweeping()
  return async () => {
    stop.abort()
    await ended
  }

  async function keepSweeping(): Promise<void> {
    while (!stop.signal.aborted) {
      try {
        await sweepOnce(context)
        onDatabase(true)
      } catch (error) {
        context.log.warn({ err: error }, 'leases could not be swept')
        onDatabase(!isDatabaseAway(error))
      }
      await sleep(sweepMs, undefined, { signal: stop.signal }).catch(() => undefined)
    }
  }
}

async function sweepOnce({ db, log, metrics }: SchedulerContext): Promise<void> {
  await tellOfDueTasks(db, { seconds: (2 * sweepMs) / 1000 })
  await takeBackDrained(db, { graceMs: drainGraceMs })
  if (!(await endOutage(db, { leaseMs }))) return
  for (const expired of await expireLeases(db)) {
    metrics.failed(expired.kind, { reason: 'node_lost', retried: expired.retried })
    log.warn(expired, 'lease expired')
  }
}
