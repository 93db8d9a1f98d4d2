import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { sql } from 'kysely'
import pg from 'pg'
import { startPostgres } from '../../../infra/local/postgres.ts'
import { openAccountDatabases } from '../../../store/db/account-databases.ts'
import { openDatabase } from '../../../store/db/database.ts'
import { settleJob } from '../../../store/db/jobs/settle-jobs.ts'
import { migrate } from '../../../store/db/migrate.ts'
import { addAccount, addJob, silent } from '../database.ts'

test('the walls stand without a superuser as owner, as in managed Postgres', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'farm-test-'))
  chmodSync(dataDir, 0o711)
  t.teardown(() => rmSync(dataDir, { recursive: true, force: true }))
  const postgres = await startPostgres({ dataDir })
  t.teardown(() => postgres.stop())
  const admin = new pg.Client(postgres.url)
  await admin.connect()
  await admin.query(`create role owner login createrole password 'owner' nosuperuser nobypassrls`)
  await admin.query('create database managed owner owner')
  await admin.end()

  const url = new URL(postgres.url)
  Object.assign(url, { username: 'owner', password: 'owner', pathname: '/managed' })
  const db = openDatabase({ url: url.href, log: silent })
  t.teardown(() => db.destroy())
  await migrate(db)
  const accounts = openAccountDatabases({ url: url.href, log: silent })
  t.teardown(() => accounts.close())

  // The farm's own processes see every account; a customer's process sees its own.
  const [one, other] = [await addAccount(db), await addAccount(db)]
  const [jobId] = [await addJob(accounts.of(one), one), await addJob(db, other)]
  const idsSeen = async (view: typeof db) =>
    (await sql<{ id: string }>`select id from jobs`.execute(view)).rows.map(({ id }) => id)
  t.is((await idsSeen(db)).length, 2)
  t.deepEqual(await idsSeen(accounts.of(one)), [jobId])
  const settlement = { to: 'cancelled', charge: 0 } as const
  const settled = await settleJob(accounts.of(one), {
    accountId: one,
    jobId,
    reason: '',
    settlement,
  })
  t.like(settled, { settled: true, state: 'cancelled' })
})
