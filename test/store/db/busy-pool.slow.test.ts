import { createServer } from 'node:net'
import test from 'ava'
import { sql } from 'kysely'
import { isDatabaseAway, openDatabase } from '../../../store/db/database.ts'
import { silent, startDatabase } from '../database.ts'

const { url, stop } = await startDatabase()
test.after.always(stop)
/** Longer than a test may take. */
const patient = { log: silent, connections: 1, waitMs: 3_600_000 }

test('a busy pool is waited for longer than a database without answers', async (t) => {
  const db = openDatabase({ ...patient, url })
  t.teardown(() => db.destroy())
  const busy = sql`select pg_sleep(11)`.execute(db)
  t.is((await sql`select 1 as one`.execute(db)).rows.length, 1)
  await busy
})

test('a connecting but mute database is away before the pool’s patience ends', async (t) => {
  const mute = createServer()
  await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve))
  t.teardown(() => mute.close())
  const address = mute.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const db = openDatabase({ ...patient, url: `postgres://a:b@127.0.0.1:${port}/c` })
  t.teardown(() => db.destroy())
  const error = await t.throwsAsync(sql`select 1`.execute(db))
  t.true(isDatabaseAway(error), String(error))
})
