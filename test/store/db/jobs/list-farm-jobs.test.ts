import test from 'ava'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { listFarmJobs } from '../../../../store/db/jobs/list-farm-jobs.ts'
import type { Tables } from '../../../../store/db/schema.ts'
import { addAccount, addJob, startDatabase } from '../../database.ts'

const { db, url, stop } = await startDatabase()
const pool = new pg.Pool({ connectionString: url, max: 1 })
test.after.always(async () => {
  await pool.end()
  await stop()
})

type Asked = Parameters<typeof listFarmJobs>[1]

/** Returns the plan of a list of jobs, where Postgres neither reads whole tables nor sorts them. */
async function planOf(asked: Asked): Promise<string> {
  let sent = { sql: '', parameters: [] as readonly unknown[] }
  const listening = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query }) => {
      sent = query
    },
  })
  await listFarmJobs(listening, asked)
  await pool.query('set enable_seqscan = off')
  await pool.query('set enable_sort = off')
  const { rows } = await pool.query(`explain ${sent.sql}`, [...sent.parameters])
  return rows.map((row) => row['QUERY PLAN']).join('\n')
}

test.serial('lists of all jobs go by an index in their order', async (t) => {
  const accountId = await addAccount(db)
  const after = await addJob(db, accountId, 1)
  const cases: readonly [Asked, RegExp][] = [
    [{ limit: 20 }, /using jobs_latest/],
    [{ limit: 20, after }, /using jobs_latest[\s\S]*Index Cond: \(ROW\(created_at, id\) </],
    [{ limit: 20, createdFrom: new Date(0) }, /using jobs_latest/],
    [{ limit: 20, state: 'failed' }, /using jobs_ended/],
    [{ limit: 20, state: 'failed', after }, /using jobs_ended[\s\S]*ROW\(created_at, id\) </],
    [{ limit: 20, code: 'media_invalid', after }, /using jobs_with_error/],
    [{ limit: 20, accountId, after }, /using jobs_of_account/],
  ]
  for (const [asked, used] of cases) {
    const plan = await planOf(asked)
    t.regex(plan, used, JSON.stringify(asked))
    t.notRegex(plan, /Seq Scan on jobs/)
  }
})
