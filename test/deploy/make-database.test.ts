import { execFile } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import test from 'ava'
import { sql } from 'kysely'
import { startPostgres } from '../../infra/local/postgres.ts'
import { debianPostgres } from '../../infra/setup/system.mjs'
import { openAccountDatabases } from '../../store/db/account-databases.ts'
import { openDatabase } from '../../store/db/database.ts'
import { migrate } from '../../store/db/migrate.ts'
import { addAccount, addJob, silent } from '../store/database.ts'

const script = fileURLToPath(new URL('../../deploy/make-database.sh', import.meta.url))
const password = 'aMongDigits123'

// npm's Postgres comes without psql.
const binaries = debianPostgres().findLast((path) => existsSync(`${path}/bin/psql`))
const withPsql = binaries === undefined ? test.skip : test

/** Starts an empty Postgres, whose superuser is `postgres` with the same password. @returns its URL */
async function startEmpty() {
  const dataDir = mkdtempSync(join(tmpdir(), 'farm-test-'))
  // Postgres never runs as root: its user must be able to reach the cluster here.
  chmodSync(dataDir, 0o711)
  const settings = ['fsync=off']
  const { url, stop } = await startPostgres({ dataDir, settings, ...(binaries && { binaries }) })
  const as = (username: string) => {
    const { port } = new URL(url)
    return `postgres://${username}:${password}@127.0.0.1:${port}`
  }
  const first = openDatabase({ url, log: silent })
  await sql`create role postgres superuser login password ${sql.lit(password)}`.execute(first)
  await first.destroy()
  // Its start has made a superuser and a database with the names that the script gives.
  const admin = openDatabase({ url: `${as('postgres')}/postgres`, log: silent })
  await sql`drop database farm`.execute(admin)
  await sql`alter role farm rename to first`.execute(admin)
  await admin.destroy()
  return {
    url: as,
    async stop() {
      await stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** Runs the script as that superuser. */
async function makeDatabase(url: string, env: Readonly<Record<string, string>>) {
  const { hostname, port } = new URL(url)
  const server = { PGHOST: hostname, PGPORT: port, PGUSER: 'postgres', PGPASSWORD: password }
  const path = `${binaries}/bin${delimiter}${process.env.PATH}`
  await promisify(execFile)(script, { env: { PATH: path, ...server, ...env } })
}

withPsql('make-database.sh makes a user that owns its database alone', async (t) => {
  const postgres = await startEmpty()
  t.teardown(() => postgres.stop())
  await t.throwsAsync(makeDatabase(postgres.url('postgres'), {}), { message: /DATABASE_PASSWORD/ })
  await makeDatabase(postgres.url('postgres'), { DATABASE_PASSWORD: password })
  const url = `${postgres.url('farm')}/farm`
  const db = openDatabase({ url, log: silent })
  t.teardown(() => db.destroy())
  const { rows } = await sql`
    select rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls
    from pg_roles where rolname = current_user`.execute(db)
  const none = { rolsuper: false, rolcreaterole: false, rolcreatedb: false }
  t.deepEqual(rows, [{ ...none, rolreplication: false, rolbypassrls: false }])
  // Until Postgres 16 CREATEROLE was enough for this, and so for a shell.
  const denied = { message: /permission denied|must have admin option|superuser/ }
  await t.throwsAsync(sql`grant pg_execute_server_program to farm`.execute(db), denied)
  await t.throwsAsync(sql`create role another`.execute(db), denied)

  await migrate(db)
  const accounts = openAccountDatabases({ url, log: silent })
  t.teardown(() => accounts.close())
  const [one, other] = [await addAccount(db), await addAccount(db)]
  const job = await addJob(accounts.of(one), one)
  await addJob(db, other)
  const seen = await accounts.of(one).selectFrom('jobs').select('id').execute()
  t.deepEqual(seen, [{ id: job }])
})
