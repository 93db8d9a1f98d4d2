import test from 'ava'
import { sql } from 'kysely'
import { ReadTooLong, readWithin } from '../../../store/db/bounded-read.ts'
import { startDatabase } from '../database.ts'

const { db, stop } = await startDatabase()
test.after.always(stop)

const sleeping = async () => {
  const { rows } = await sql`
    select from pg_stat_activity where datname = current_database()
      and query like 'select pg_sleep%' and state = 'active'`.execute(db)
  return rows.length
}

test.serial('a read that takes too long is stopped by the database', async (t) => {
  await t.throwsAsync(
    readWithin(db, { ms: 50 }, (tx) => sql`select pg_sleep(600)`.execute(tx)),
    { instanceOf: ReadTooLong },
  )
  const { rows } = await sql<{ limit: string }>`
    select current_setting('statement_timeout') as limit`.execute(db)
  t.not(rows[0]?.limit, '50ms', 'the connection’s own limit is in force again')
})

test.serial('a read ends at once where its signal aborts', async (t) => {
  const ending = new AbortController()
  const { signal } = ending
  const reading = readWithin(db, { ms: 600_000, signal }, (tx) =>
    sql`select pg_sleep(600)`.execute(tx),
  )
  while ((await sleeping()) === 0);
  ending.abort(new Error('gone'))
  await t.throwsAsync(reading, { message: 'gone' })
  t.is(await sleeping(), 0)
  await t.throwsAsync(
    readWithin(db, { ms: 1_000, signal }, async () => 1),
    { message: 'gone' },
  )
})

test.serial('a bounded read changes nothing, and other errors stay', async (t) => {
  const insert = readWithin(db, { ms: 1_000 }, (tx) => sql`delete from accounts`.execute(tx))
  await t.throwsAsync(insert, { message: /read-only transaction/ })
  t.is(await readWithin(db, { ms: 1_000 }, async () => 7), 7)
})
