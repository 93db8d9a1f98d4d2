import { repeat } from '../../runtime/repeat.ts'
import { isDatabaseAway } from '../../store/db/database.ts'
import { endOutage } from '../../store/db/fleet/end-outage.ts'
import { keepMaintenance } from '../../store/db/fleet/keep-maintenance.ts'
import { endWants } from '../../store/db/playback/end-wants.ts'
import { expireLeases } from '../../store/db/queue/expire-leases.ts'
import { notifyDueTasks } from '../../store/db/queue/notify-due-tasks.ts'
import { takeBackDrained } from '../../store/db/queue/take-back-drained.ts'
import type { SchedulerContext } from '../context.ts'
import { leaseMs } from '../timing.ts'

/** Longest delay beyond a lost node's lease until its work is leased again. */
const sweepMs = 1_000

/** Time for a draining node to finish its tasks: some shards' time. */
const drainGraceMs = 60_000

/**
 * Takes away the leases of silent nodes, announces tasks whose delay is over, ends what players
 * have wanted and keeps maintenance windows, once a second in every replica. After an outage of the
 * database it tries again at the next turn. `onDatabase` is called at each turn with whether the
 * database answered.
 * @returns a function that stops it after the current turn.
 */
export function startSweep(
  context: SchedulerContext,
  onDatabase: (isThere: boolean) => void,
): () => Promise<void> {
  const { stop } = repeat({
    everyMs: sweepMs,
    async run() {
      await sweepOnce(context)
      onDatabase(true)
    },
    onError(error) {
      context.log.warn({ err: error }, 'leases could not be swept')
      onDatabase(!isDatabaseAway(error))
    },
  })
  return stop
}

async function sweepOnce({ db, log, metrics }: SchedulerContext): Promise<void> {
  await notifyDueTasks(db, { seconds: (2 * sweepMs) / 1000 })
  await takeBackDrained(db, { graceMs: drainGraceMs })
  await endWants(db)
  await keepMaintenance(db)
  if (!(await endOutage(db, { leaseMs }))) return
  for (const expired of await expireLeases(db)) {
    metrics.failed(expired.kind, { reason: 'node_lost', retried: expired.retried })
    log.warn(expired, 'lease expired')
  }
}
