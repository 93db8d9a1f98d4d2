import type { Log } from '../../runtime/log.ts'
import { repeat } from '../../runtime/repeat.ts'
import { removeOldKeys } from '../../store/db/accounts/take-idempotency-key.ts'
import { forgetOAuth } from '../../store/db/agents/forget-oauth.ts'
import { dropUnusedArtifacts } from '../../store/db/artifacts/drop-unused-artifacts.ts'
import { forgetFetchedMedia } from '../../store/db/artifacts/forget-fetched-media.ts'
import { scheduleDeletion } from '../../store/db/artifacts/schedule-deletion.ts'
import { takeDueDeletions } from '../../store/db/artifacts/take-due-deletions.ts'
import type { Db } from '../../store/db/database.ts'
import { forgetCertificates } from '../../store/db/fleet/enrolled-nodes.ts'
import { forgetNodes } from '../../store/db/fleet/forget-nodes.ts'
import { forgetInvitations } from '../../store/db/fleet/invitations.ts'
import { type ExpiredJob, lockExpiredJobs } from '../../store/db/jobs/lock-expired-jobs.ts'
import { markFilesRemoved } from '../../store/db/jobs/mark-files-removed.ts'
import { forgetPreviews } from '../../store/db/previews/forget-previews.ts'
import { forgetLiveLogs } from '../../store/db/queue/follow-log.ts'
import { forgetQuotes } from '../../store/db/quotes/forget-quotes.ts'
import { forgetUploads } from '../../store/db/uploads/forget-uploads.ts'
import { jobPrefix } from '../../store/objects/job-keys.ts'
import { taskLogKey, taskOutputKey } from '../../store/objects/keys.ts'
import type { ObjectStore } from '../../store/objects/object-store.ts'

const sweepMs = 30_000
/** Limits of one turn, so that it stays short and its transactions small. */
const jobsPerTurn = 20
const rowsPerTurn = 500

type Retaining = {
  readonly db: Db
  readonly objects: Pick<ObjectStore, 'remove' | 'removePrefix'>
}

/**
 * Removes what has been kept long enough. Removals are first written down (doomed_objects) and then
 * carried out, so a crash at any point, or an outage of the store, loses none. Any number may run:
 * each turn claims rows that no other has.
 * @returns a function that stops it after the current turn.
 */
export function startRetention(retaining: Retaining & { readonly log: Log }): () => Promise<void> {
  const { stop } = repeat({
    everyMs: sweepMs,
    run: () => removeExpired(retaining),
    onError: (error) => retaining.log.warn({ err: error }, 'expired files could not be removed'),
  })
  return stop
}

/** Runs one turn. @returns whether there may be more to do at once */
export async function removeExpired({ db, objects }: Retaining): Promise<boolean> {
  const jobs = await expireJobs(db)
  const dropped = await dropUnusedArtifacts(db, { limit: rowsPerTurn })
  const uploads = await forgetUploads(db, { limit: rowsPerTurn })
  const removed = await removeDueObjects({ db, objects })
  const keys = await removeOldKeys(db, { limit: rowsPerTurn })
  const forgotten = await forgetFetchedMedia(db, { limit: rowsPerTurn })
  const nodes = await forgetNodes(db, { limit: rowsPerTurn })
  const certificates = await forgetCertificates(db, { limit: rowsPerTurn })
  const invitations = await forgetInvitations(db, { limit: rowsPerTurn })
  const quotes = await forgetQuotes(db, { limit: rowsPerTurn })
  const signIns = await forgetOAuth(db, { limit: rowsPerTurn })
  const previews = await forgetPreviews(db, { limit: rowsPerTurn })
  const logs = await forgetLiveLogs(db, { limit: rowsPerTurn })
  const counts = [
    ...[dropped, uploads, removed, keys, forgotten, nodes, quotes, signIns, previews, logs],
    ...[certificates, invitations],
  ]
  return jobs === jobsPerTurn || counts.includes(rowsPerTurn)
}

/** Marks the files of these jobs as gone; no address of them is made from here on. */
async function expireJobs(db: Db): Promise<number> {
  return await db.transaction().execute(async (tx) => {
    const jobs = await lockExpiredJobs(tx, { limit: jobsPerTurn })
    if (jobs.length === 0) return 0
    await scheduleDeletion(tx, jobs.flatMap(keysOf))
    await markFilesRemoved(
      tx,
      jobs.map(({ id }) => id),
    )
    return jobs.length
  })
}

/** Keys that any attempt at a task of the job, or its stages, may have written. */
function keysOf({ id: jobId, accountId, tasks }: ExpiredJob): string[] {
  const written = tasks.flatMap(({ id: taskId, attempt: attempts, outputs }) =>
    Array.from({ length: attempts }, (_, i) => i + 1).flatMap((attempt) => [
      ...outputs.map((name) => taskOutputKey({ accountId, taskId, attempt, name })),
      taskLogKey({ accountId, taskId, attempt }),
    ]),
  )
  return [jobPrefix({ accountId, jobId }), ...written]
}

async function removeDueObjects({ db, objects }: Retaining): Promise<number> {
  return await db.transaction().execute(async (tx) => {
    const { taken, keys } = await takeDueDeletions(tx, { limit: rowsPerTurn })
    await objects.remove(keys.filter((key) => !key.endsWith('/')))
    for (const prefix of keys.filter((key) => key.endsWith('/'))) {
      await objects.removePrefix(prefix)
    }
    return taken
  })
}
