import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import test from 'ava'
import { sql } from 'kysely'
import { freePorts } from '../../infra/local/ports.ts'
import { knownMigrations } from '../../store/db/migrate.ts'
import { startDatabase } from '../store/database.ts'
import { newFolder, startFarmCommand } from './run-farm.ts'

test('a scheduler before its schema waits, and is not ready', async (t) => {
  const { db, url, stop } = await startDatabase()
  t.teardown(stop)
  const newest = knownMigrations.at(-1) ?? ''
  await sql`delete from kysely_migration where name = ${newest}`.execute(db)
  const [port = 0] = await freePorts(1)
  const scheduler = await startFarmCommand(t, ['scheduler'], {
    env: {
      DATABASE_URL: url,
      FARM_OBJECTS: pathToFileURL(join(newFolder(), 'objects')).href,
      FARM_PUBLIC_URL: 'http://127.0.0.1:1',
      FARM_SECRET: 'a secret of the tests',
      FARM_SCHEDULER_PORT: '0',
      FARM_METRICS_ADDRESS: `127.0.0.1:${port}`,
    },
  })
  const readiness = async () => {
    const reply = await fetch(`http://127.0.0.1:${port}/readyz`)
    return { status: reply.status, text: await reply.text() }
  }
  const said = await scheduler.said(/the role waits for the schema of the database/)
  t.notRegex(said, /"msg":"ready"/)
  const waiting = await readiness()
  t.is(waiting.status, 503)
  t.is(
    waiting.text,
    `The database lacks 1 migrations, the last one ${newest}: run \`farm migrate\` of this release.\n`,
  )
  await sql`insert into kysely_migration (name, timestamp) values (${newest}, '')`.execute(db)
  await scheduler.said(/"msg":"ready"/)
  t.deepEqual(await readiness(), { status: 200, text: 'ok\n' })
})
