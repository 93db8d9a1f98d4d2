import { randomUUID } from 'node:crypto'
import test from 'ava'
import { sql } from 'kysely'
import { cancelBulk } from '../../../../store/db/bulks/cancel-bulk.ts'
import { getSubmission } from '../../../../store/db/jobs/get-submissions.ts'
import { settleJob } from '../../../../store/db/jobs/settle-jobs.ts'
import { leaseTasks } from '../../../../store/db/queue/lease-tasks.ts'
import { addAccount, addBulk, addJob, addNode, addTask, startDatabase } from '../../database.ts'
import { enterStage } from '../jobs/one-job.ts'

const { db, stop } = await startDatabase()
test.after.always(stop)

const newIds = (count: number) => Array.from({ length: count }, () => randomUUID())

async function ledgerOf(accountId: string) {
  const { rows } = await sql<{ account: unknown; ledger: unknown; jobs: number }>`
    select
      json_build_array(credits_balance, credits_reserved) as account,
      (select json_build_array(sum(balance_change), sum(reserved_change))
        from credit_entries where account_id = a.id) as ledger,
      (select count(*) from jobs where account_id = a.id) as jobs
    from accounts a where id = ${accountId}`.execute(db)
  return rows[0]
}

test('parallel bulks spend exactly the credits there are, each wholly or not', async (t) => {
  const accountId = await addAccount(db, 100)
  const outcomes = await Promise.all(
    Array.from({ length: 20 }, () => addBulk(db, { accountId, ids: newIds(6) })),
  )
  t.is(outcomes.filter(({ outcome }) => outcome === 'inserted').length, 3)
  const refused = outcomes.find(({ outcome }) => outcome === 'insufficient')
  t.like(refused, { creditsRequired: 30, creditsAvailable: 10 })
  t.deepEqual(await ledgerOf(accountId), { account: [100, 90], ledger: [100, 90], jobs: 18 })
})

test('bulks with common job ids get each id once, without deadlock', async (t) => {
  const accounts = await Promise.all([1, 2, 3, 4].map(() => addAccount(db, 1000)))
  const ids = newIds(30)
  const outcomes = await Promise.all(
    accounts.flatMap((accountId, i) => [
      addBulk(db, { accountId, ids: i % 2 ? ids : ids.toReversed() }),
      addBulk(db, { accountId, ids: ids.slice(10) }),
      addJob(db, accountId, 5),
    ]),
  )
  const inserted = outcomes.flatMap((each) =>
    typeof each === 'object' && each.outcome === 'inserted' ? each.jobIds : [],
  )
  t.deepEqual(inserted.toSorted(), ids.toSorted())
  for (const accountId of accounts) {
    const { account, ledger } = (await ledgerOf(accountId)) ?? {}
    t.deepEqual(account, ledger)
  }
})

test('a bulk’s job has its request with own variables and name', async (t) => {
  const accountId = await addAccount(db)
  const [first = '', second = ''] = newIds(2)
  await addBulk(db, { accountId, ids: [first, second] })
  const submission = await getSubmission(db, { accountId, jobId: second })
  t.deepEqual(submission?.request, {
    payload: { name: 'card' },
    variables: { a: 1, b: 1 },
    overrides: { width: 640, name: '1' },
  })
})

test('cancelling charges what jobs in flight painted and releases the rest', async (t) => {
  const accountId = await addAccount(db, 100)
  const jobIds = newIds(4)
  const [painted = '', done = ''] = jobIds
  const bulk = await addBulk(db, { accountId, ids: jobIds, credits: 10 })
  await enterStage(db, { accountId, jobId: painted, stage: 'resolve' })
  const frames = { total: 200, reused: 0, painted: 200 }
  await enterStage(db, { accountId, jobId: painted, stage: 'render', frames })
  await addTask(db, { accountId, jobId: painted })
  await db.updateTable('tasks').set({ frames_done: 100 }).where('job_id', '=', painted).execute()
  const error = { code: 'media_invalid', message: 'Broken.', details: [] } as const
  await settleJob(db, { accountId, jobId: done, reason: '', settlement: { to: 'failed', error } })
  const cancel = () => cancelBulk(db, { accountId, bulkId: bulk.id, reason: 'test' })
  await Promise.all([cancel(), cancel(), cancel()])
  t.is(await cancel(), 0)
  t.deepEqual(await ledgerOf(accountId), { account: [95, 0], ledger: [95, 0], jobs: 4 })
  const tasks = await db.selectFrom('tasks').select('state').where('job_id', '=', painted).execute()
  t.deepEqual(tasks, [{ state: 'cancelled' }])
})

test('another account’s bulk is not cancelled', async (t) => {
  const accountId = await addAccount(db)
  const bulk = await addBulk(db, { accountId, ids: newIds(2) })
  const other = await addAccount(db)
  t.is(await cancelBulk(db, { accountId: other, bulkId: bulk.id, reason: '' }), 0)
})

test('a queued bulk does not delay another account’s job', async (t) => {
  const crowd = await addAccount(db)
  const jobIds = newIds(20)
  await addBulk(db, { accountId: crowd, ids: jobIds })
  const kind = { kind: 'still' as const, cost: 30 }
  for (const jobId of jobIds) await addTask(db, { accountId: crowd, jobId, ...kind })
  const alone = await addAccount(db)
  const jobId = await addJob(db, alone)
  await addTask(db, { accountId: alone, jobId, ...kind })
  const nodeId = await addNode(db, { kinds: ['still'] })
  const grant = () =>
    leaseTasks(db, { wants: [{ nodeId, slots: 1 }], leaseMs: 60_000, nodeLiveMs: 60_000 })
  const granted = [...(await grant()), ...(await grant())].map((task) => task.accountId)
  t.deepEqual(granted.toSorted(), [crowd, alone].toSorted())
})
