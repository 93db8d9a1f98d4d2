import test from 'ava'
import { sql } from 'kysely'
import { openDatabase } from '../../../store/db/database.ts'
import { leaseTasks } from '../../../store/db/queue/lease-tasks.ts'
import { addAccount, addJob, addNode, addTask, silent, startDatabase } from '../database.ts'

const { db, url, stop } = await startDatabase()
const scheduler = openDatabase({ url, log: silent, connections: 1, prepared: true })

test.after.always(async () => {
  await scheduler.destroy()
  await stop()
})

test('leasing is planned once, and keeps using indexes on deep queues', async (t) => {
  const wants = [{ nodeId: await addNode(db), slots: 2 }]
  const lessee = { wants, leaseMs: 15_000, nodeLiveMs: 30_000 }
  t.deepEqual(await leaseTasks(scheduler, lessee), [])
  const accountId = await addAccount(db)
  const jobId = await addJob(db, accountId)
  await addTask(db, { accountId, jobId })
  await sql`
    insert into tasks (job_id, account_id, name, kind, spec, inputs, outputs, requirements, shape_id,
      cost, frames_total, task_token, virtual_start)
    select job_id, account_id, 'more-' || n, kind, spec, inputs, outputs, requirements, shape_id,
      cost, frames_total, task_token, n
    from tasks cross join generate_series(1, 5000) n`.execute(db)

  await scheduler.transaction().execute(async (tx) => {
    t.is((await leaseTasks(tx, lessee)).length, 2)
    const { rows } = await sql<{ seq_scan: number }>`
      select seq_scan from pg_stat_xact_user_tables where relname = 'tasks'`.execute(tx)
    t.deepEqual(rows, [{ seq_scan: 0 }], 'the queue is not read from end to end')
  })
  const { rows } = await sql<{ plans: number }>`
    select generic_plans as plans from pg_prepared_statements
    where name like '%-heads'`.execute(scheduler)
  t.deepEqual(rows, [{ plans: 2 }])
})
