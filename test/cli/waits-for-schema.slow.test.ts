import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import test, { type ExecutionContext } from 'ava'
import { sql } from 'kysely'
import { freePorts } from '../../infra/local/ports.ts'
import { knownMigrations } from '../../store/db/migrate.ts'
import { startDatabase } from '../store/database.ts'
import { newFolder, startFarmCommand } from './run-farm.ts'

const newest = knownMigrations.at(-1) ?? ''
const reason = `The database lacks 1 migrations, the last one ${newest}: run \`farm migrate\` of this release.\n`

/** Starts a role on a database that lacks the newest migration, and waits until it says so. */
async function startEarly(t: ExecutionContext, name: 'scheduler' | 'workflows') {
  const { db, url, stop } = await startDatabase()
  t.teardown(stop)
  await sql`delete from kysely_migration where name = ${newest}`.execute(db)
  const [port = 0] = await freePorts(1)
  const role = await startFarmCommand(t, [name], {
    env: {
      DATABASE_URL: url,
      FARM_OBJECTS: pathToFileURL(join(newFolder(), 'objects')).href,
      FARM_PUBLIC_URL: 'http://127.0.0.1:1',
      FARM_SECRET: 'a secret of the tests',
      FARM_SCHEDULER_PORT: '0',
      TEMPORAL_ADDRESS: '127.0.0.1:1',
      FARM_METRICS_ADDRESS: `127.0.0.1:${port}`,
    },
  })
  const readiness = async () => {
    const reply = await fetch(`http://127.0.0.1:${port}/readyz`)
    return { status: reply.status, text: await reply.text() }
  }
  const said = await role.said(/the role waits for the schema of the database/)
  t.notRegex(said, /"msg":"ready"/)
  return { db, role, readiness }
}

test('workflows that wait for their schema say so at /readyz', async (t) => {
  const { readiness } = await startEarly(t, 'workflows')
  t.deepEqual(await readiness(), { status: 503, text: reason })
})

test('a scheduler before its schema waits, and is not ready', async (t) => {
  const { db, role: scheduler, readiness } = await startEarly(t, 'scheduler')
  t.deepEqual(await readiness(), { status: 503, text: reason })
  await sql`insert into kysely_migration (name, timestamp) values (${newest}, '')`.execute(db)
  await scheduler.said(/"msg":"ready"/)
  t.deepEqual(await readiness(), { status: 200, text: 'ok\n' })
})
