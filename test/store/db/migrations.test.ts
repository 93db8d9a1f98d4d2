import { setTimeout as sleep } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { Kysely, PostgresDialect, sql } from 'kysely'
import { pino } from 'pino'
import { openDatabase, openPool } from '../../../store/db/database.ts'
import {
  allMigrations,
  knownMigrations,
  migrate,
  pendingMigrations,
} from '../../../store/db/migrate.ts'
import { breaksReleaseBefore, kindOfMigration } from '../../../store/db/migration-kinds.ts'
import type { Tables } from '../../../store/db/schema.ts'
import { checkSchema, SchemaError, waitForSchema } from '../../../store/db/schema-state.ts'
import { findCluster, newDatabase } from '../cluster.ts'
import { silent, startDatabase } from '../database.ts'

const newerAdding = '9998_more_columns'
const newerTaking = '9999_fewer_columns_contracts'

/** The migrated database, and a name that it has run beside this release's. */
async function newerDatabase(t: ExecutionContext, name: string) {
  const { db, url, stop } = await startDatabase()
  t.teardown(stop)
  await sql`insert into kysely_migration (name, timestamp) values (${name}, '')`.execute(db)
  return { db, url }
}

test('each migration says whether the release before can stay', async (t) => {
  const cluster = await findCluster()
  t.teardown(() => cluster.stop())
  const { url, drop } = await newDatabase(cluster)
  const statements: string[] = []
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: openPool({ url, log: silent }) }),
    log: ({ query }) => void statements.push(query.sql),
  })
  t.teardown(async () => {
    await db.destroy()
    await drop()
  })
  for (const [name, { up }] of Object.entries(allMigrations)) {
    statements.length = 0
    await up(db)
    t.true(statements.length > 0, name)
    const why = statements.map(breaksReleaseBefore).find((reason) => reason !== undefined)
    const said = kindOfMigration(name)
    const seen = why === undefined ? 'additive' : 'needs the release before gone'
    t.is(said, seen, `${name}: ${why ?? 'nothing of it breaks older roles'}`)
  }
})

test('statements that break older roles are recognized', (t) => {
  const broken = [
    'alter table jobs drop column name',
    'alter table jobs\n  rename column name to title',
    'alter table jobs add column size integer not null',
    'alter table jobs alter column name set not null',
    'alter table jobs alter column name type uuid',
    'drop function task_lacks(text, jsonb, jsonb)',
    'DROP TABLE pools',
  ]
  for (const statement of broken) t.truthy(breaksReleaseBefore(statement), statement)
  const fine = [
    'alter table jobs add column size integer',
    'alter table jobs add column size integer not null default 0',
    'drop index jobs_of_account',
    '-- drop table jobs\ncreate index more on jobs (id)',
  ]
  for (const statement of fine) t.is(breaksReleaseBefore(statement), undefined, statement)
  t.is(kindOfMigration(newerAdding), 'additive')
  t.is(kindOfMigration(newerTaking), 'needs the release before gone')
})

test('an older role goes on with a newer schema that only adds', async (t) => {
  const { db } = await newerDatabase(t, newerAdding)
  await t.notThrowsAsync(checkSchema(db, knownMigrations))
  await t.notThrowsAsync(waitForSchema({ db, known: knownMigrations, log: silent }))
  t.deepEqual(await pendingMigrations(db), [])
  t.deepEqual(await migrate(db), [], 'its `farm migrate` changes nothing either')
})

test('an older role refuses a newer schema that takes something away', async (t) => {
  const { db } = await newerDatabase(t, newerTaking)
  const error = await t.throwsAsync(checkSchema(db, knownMigrations), { instanceOf: SchemaError })
  t.regex(error?.message ?? '', /9999_fewer_columns_contracts of a newer release/)
})

test('a role waits for the schema, and says so once', async (t) => {
  const { db, stop } = await startDatabase()
  t.teardown(stop)
  const lines: string[] = []
  const log = pino({}, { write: (line) => void lines.push(line) })
  const known = [...knownMigrations, newerAdding]
  await t.throwsAsync(checkSchema(db, known), { message: /lacks 1 migrations, the last one 9998_/ })
  let fits = false
  const waited = waitForSchema({ db, known, log }).then(() => {
    fits = true
  })
  while (!lines.some((line) => line.includes('waits for the schema'))) await sleep(10)
  t.false(fits)
  await sql`insert into kysely_migration (name, timestamp) values (${newerAdding}, '')`.execute(db)
  await waited
  t.is(lines.filter((line) => line.includes('waits for the schema')).length, 1)
  t.true(lines.some((line) => line.includes('run `farm migrate` of this release')))
})

test('an empty database lacks every migration', async (t) => {
  const cluster = await findCluster()
  t.teardown(() => cluster.stop())
  const { url, drop } = await newDatabase(cluster)
  const db = openDatabase({ url, log: silent })
  t.teardown(async () => {
    await db.destroy()
    await drop()
  })
  t.deepEqual(await pendingMigrations(db), knownMigrations)
  await t.throwsAsync(checkSchema(db, knownMigrations), { instanceOf: SchemaError })
})

test('a migration gives up a locked table, and undoes what it did', async (t) => {
  const { db, stop } = await startDatabase()
  t.teardown(stop)
  const up = async (tx: Kysely<unknown>) => {
    await sql`create table more (id integer)`.execute(tx)
    await sql`alter table jobs add column more integer`.execute(tx)
  }
  const options = {
    known: { ...allMigrations, [newerAdding]: { up } },
    ...{ lockTimeoutMs: 20, tries: 2, pauseMs: 1 },
  }
  await db.transaction().execute(async (other) => {
    await sql`lock table jobs in share mode`.execute(other)
    await t.throwsAsync(migrate(db, options), { message: /Nothing was changed/ })
  })
  const { rows } = await sql<{ found: string | null }>`select to_regclass('more') as found`.execute(
    db,
  )
  t.deepEqual(rows, [{ found: null }])
  t.deepEqual(await migrate(db, options), [newerAdding])
})

test('a migration in a deadlock undoes what it did, and tries again', async (t) => {
  const { db, stop } = await startDatabase()
  t.teardown(stop)
  let tried = 0
  let inDeadlock: (() => void) | undefined
  const up = async (tx: Kysely<unknown>) => {
    tried += 1
    await sql`lock table webhooks`.execute(tx)
    inDeadlock?.()
    await sql`alter table jobs add column more integer`.execute(tx)
  }
  const options = { known: { ...allMigrations, [newerAdding]: { up } }, pauseMs: 1 }
  let migrated: Promise<readonly string[]> | undefined
  await db.transaction().execute(async (other) => {
    // Postgres ends the one that looks for deadlocks first, and that is the migration.
    await sql`set local deadlock_timeout = '60s'`.execute(other)
    await sql`lock table jobs in share mode`.execute(other)
    const holds = new Promise<void>((resolve) => {
      inDeadlock = resolve
    })
    migrated = migrate(db, options)
    await holds
    await sql`lock table webhooks`.execute(other)
  })
  t.deepEqual(await migrated, [newerAdding])
  t.is(tried, 2)
})
