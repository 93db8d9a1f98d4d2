import test from 'ava'
import { sql } from 'kysely'
import { dropUnusedArtifacts } from '../../../../store/db/artifacts/drop-unused-artifacts.ts'
import { settleJob } from '../../../../store/db/jobs/settle-jobs.ts'
import { addAccount, addJob, startDatabase } from '../../database.ts'
import { putArtifact } from '../jobs/one-job.ts'

const { db, stop } = await startDatabase()
test.after.always(stop)
// Serial, because artifacts of all accounts are dropped.
const inTurn = test.serial
inTurn.afterEach.always(async () => {
  await db.deleteFrom('artifacts').execute()
})

/** Stores artifacts of ten bytes, last used `hoursAgo`. */
async function store(accountId: string, hoursAgo: readonly number[]): Promise<void> {
  for (const [n, hours] of hoursAgo.entries()) {
    const digest = `${n}`.padStart(64, '0')
    const objectKey = `accounts/${accountId}/${n}`
    await putArtifact(db, {
      ...{ accountId, kind: 'segment', digest, objectKey, bytes: 10, facts: {} },
    })
    await sql`update artifacts set last_used_at = now() - make_interval(hours => ${hours})
      where account_id = ${accountId} and digest = ${digest}`.execute(db)
  }
}

async function kept(accountId: string): Promise<number[]> {
  const rows = await db
    .selectFrom('artifacts')
    .select('object_key')
    .where('account_id', '=', accountId)
    .orderBy('object_key')
    .execute()
  return rows.map((row) => Number(row.object_key.split('/').at(-1)))
}

const drop = (bytesMax: number) =>
  dropUnusedArtifacts(db, { limit: 100, bytesMax: (plan) => (plan === 'free' ? bytesMax : 1e9) })

inTurn('what an account has beyond its plan goes, least recently used first', async (t) => {
  const [full, other] = [await addAccount(db), await addAccount(db)]
  await store(full, [5, 9, 3, 7])
  await store(other, [9, 9])
  t.is(await drop(25), 2)
  t.deepEqual(await kept(full), [0, 2])
  t.deepEqual(await kept(other), [0, 1])
  t.is(await drop(25), 0)
  const { rows } = await sql<{ key: string }>`
    select object_key as key from doomed_objects where not_before > now() + interval '23 hours'
      and object_key like ${`accounts/${full}/%`} order by 1`.execute(db)
  t.deepEqual(
    rows.map(({ key }) => key.split('/').at(-1)),
    ['1', '3'],
  )
})

inTurn('what a living job may have found is not dropped, however full the store is', async (t) => {
  const accountId = await addAccount(db)
  await store(accountId, [0, 0, 4, 9])
  const jobId = await addJob(db, accountId)
  await sql`update jobs set created_at = now() - interval '6 hours' where id = ${jobId}`.execute(db)
  t.is(await drop(0), 1)
  t.deepEqual(await kept(accountId), [0, 1, 2])
  const error = { code: 'internal', message: 'test', details: [] } as const
  const settlement = { to: 'failed', error } as const
  await settleJob(db, { accountId, jobId, reason: 'test', settlement })
  t.is(await drop(0), 1)
  t.deepEqual(await kept(accountId), [0, 1])
})

inTurn('what nobody asked for in a week goes, though there is room', async (t) => {
  const accountId = await addAccount(db)
  await store(accountId, [1, 24 * 8])
  t.is(await drop(1e9), 1)
  t.deepEqual(await kept(accountId), [0])
})
