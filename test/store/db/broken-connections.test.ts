import test from 'ava'
import { sql } from 'kysely'
import { type Db, isDatabaseAway } from '../../../store/db/database.ts'
import { startDatabase } from '../database.ts'

const { db, stop } = await startDatabase()
test.after.always(stop)

async function endConnection(pid: number): Promise<void> {
  await sql`select pg_terminate_backend(${pid})`.execute(db)
  const lives = sql<{ pid: number }>`select pid from pg_stat_activity where pid = ${pid}`
  while ((await lives.execute(db)).rows.length > 0);
}

async function pidOf(connection: Db): Promise<number> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(connection)
  return rows[0]?.pid ?? 0
}

test('a connection breaking between statements of a transaction fails the next one', async (t) => {
  const broken = await t.throwsAsync(
    db.transaction().execute(async (tx) => {
      await endConnection(await pidOf(tx))
      await sql`select 1`.execute(tx)
    }),
  )
  t.true(isDatabaseAway(broken), String(broken))
  t.is((await sql`select 1 as one`.execute(db)).rows.length, 1)
})

test('a connection that breaks under a statement fails it, and nothing else', async (t) => {
  await db.connection().execute(async (held) => {
    const pid = await pidOf(held)
    const waiting = t.throwsAsync(sql`select pg_sleep(60)`.execute(held))
    await endConnection(pid)
    const broken = await waiting
    t.true(isDatabaseAway(broken), String(broken))
  })
})
