import { randomUUID } from 'node:crypto'
import test from 'ava'
import { getSubmission } from '../../../../store/db/jobs/get-submissions.ts'
import { retryJob } from '../../../../store/db/jobs/retry-job.ts'
import { settleJob } from '../../../../store/db/jobs/settle-jobs.ts'
import { setPriority } from '../../../../store/db/queue/set-priority.ts'
import { addAccount, addBulk, addJob, startDatabase } from '../../database.ts'

const { db, stop } = await startDatabase()
test.after.always(stop)

async function retry(accountId: string, jobId: string): Promise<string> {
  const settlement = { to: 'cancelled', charge: 0 } as const
  await settleJob(db, { accountId, jobId, reason: 'a test', settlement })
  const again = await retryJob(db, jobId)
  if (again.outcome !== 'again') throw new Error(again.outcome)
  return again.id
}

test('a job of a bulk is retried with its whole request', async (t) => {
  const accountId = await addAccount(db)
  const jobId = randomUUID()
  await addBulk(db, { accountId, ids: [jobId] })
  const asked = await getSubmission(db, { accountId, jobId })
  const again = await getSubmission(db, { accountId, jobId: await retry(accountId, jobId) })
  t.deepEqual(again?.request, asked?.request)
})

test('a retried job tells whom the first told, and is as urgent', async (t) => {
  const accountId = await addAccount(db)
  const jobId = await addJob(db, accountId)
  const first = { webhook_url: 'https://hooks.example.com/end' }
  await db.updateTable('jobs').set(first).where('id', '=', jobId).execute()
  await db.transaction().execute((tx) => setPriority(tx, { jobId, priority: 'high' }))
  const id = await retry(accountId, jobId)
  const again = await db.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirst()
  t.like(again, { ...first, priority: 'high', state: 'queued', bulk_id: null })
})
