import { randomUUID } from 'node:crypto'
import test from 'ava'
import { sql } from 'kysely'
import { dropAccess } from '../../../../store/db/access/drop-access.ts'
import { type AccessRecord, insertAccess } from '../../../../store/db/access/insert-access.ts'
import { listAccess } from '../../../../store/db/access/list-access.ts'
import { startDatabase } from '../../database.ts'

const { db, stop } = await startDatabase()
test.after.always(stop)

const dayMs = 24 * 3_600_000
const daysAgo = (days: number) => new Date(Date.now() - days * dayMs).toISOString()

function record(given: Partial<AccessRecord> = {}): AccessRecord {
  return {
    ...{ at: daysAgo(0), requestId: randomUUID(), method: 'GET', path: '/api/jobs', status: 200 },
    ...{ ms: 1.5, bytes: 300, remote: '203.0.113.9', account: null, key: null, userId: null },
    ...{ agentId: null, operatorId: null, tool: null, made: null, aborted: false },
    ...given,
  }
}

async function partitions(): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select inhrelid::regclass::text as name from pg_inherits
    where inhparent = 'access_log'::regclass order by 1`.execute(db)
  return rows.map(({ name }) => name)
}

const nameOf = (days: number) => `access_log_${daysAgo(days).slice(0, 10).replaceAll('-', '')}`
const huge = Number.MAX_SAFE_INTEGER

test.beforeEach(async () => {
  await dropAccess(db, { days: 0, bytes: 0 })
})

test.serial('many writers create a day’s partition together', async (t) => {
  t.deepEqual(await partitions(), [])
  const records = Array.from({ length: 20 }, (_, at) => record({ at: daysAgo(at % 3) }))
  await Promise.all(records.map((each) => insertAccess(db, [each])))
  t.deepEqual(await partitions(), [nameOf(2), nameOf(1), nameOf(0)])
  t.is((await listAccess(db, { limit: 100 })).length, 20)
})

test.serial('days that are too old are dropped', async (t) => {
  await insertAccess(
    db,
    [0, 1, 2, 13, 14].map((days) => record({ at: daysAgo(days) })),
  )
  t.deepEqual(await dropAccess(db, { days: 14, bytes: huge }), [nameOf(14)])
  t.deepEqual(await dropAccess(db, { days: 2, bytes: huge }), [nameOf(2), nameOf(13)])
  t.deepEqual(await partitions(), [nameOf(1), nameOf(0)])
})

test.serial('the oldest days go first when all take too much', async (t) => {
  await insertAccess(
    db,
    [0, 1, 2].map((days) => record({ at: daysAgo(days) })),
  )
  const { rows } = await sql<{ bytes: number }>`
    select pg_total_relation_size(${nameOf(0)}) as bytes`.execute(db)
  const bytes = rows[0]?.bytes ?? 0
  t.deepEqual(await dropAccess(db, { days: 14, bytes: 2 * bytes }), [nameOf(2)])
  t.deepEqual(await dropAccess(db, { days: 14, bytes: bytes - 1 }), [nameOf(0), nameOf(1)])
  await insertAccess(db, [record()])
  t.deepEqual(await partitions(), [nameOf(0)])
})

test.serial('a day that is read is not waited for, but dropped later', async (t) => {
  await insertAccess(db, [record()])
  const reading = await db.startTransaction().execute()
  await sql`select from access_log`.execute(reading)
  await t.throwsAsync(dropAccess(db, { days: 0, bytes: 0 }), { message: /lock timeout/ })
  await reading.commit().execute()
  t.is((await dropAccess(db, { days: 0, bytes: 0 })).length, 1)
})
