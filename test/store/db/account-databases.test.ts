import test, { type ExecutionContext } from 'ava'
import { type RawBuilder, sql } from 'kysely'
import { openAccountDatabases } from '../../../store/db/account-databases.ts'
import { getJob } from '../../../store/db/jobs/get-job.ts'
import { settleJob } from '../../../store/db/jobs/settle-jobs.ts'
import { prepared } from '../../../store/db/prepared.ts'
import { addAccount, addJob, addTask, silent, startDatabase } from '../database.ts'

const { db, url, stop } = await startDatabase()
const accounts = openAccountDatabases({ url, log: silent, connections: 2 })
test.after.always(async () => {
  await accounts.close()
  await stop()
})

/** Tables whose rows name no account; an entry here means that customers see none of it. */
const farmTables = [
  ...[
    'access_log',
    'alerts',
    'doomed_objects',
    'farm_clock',
    'figure_samples',
    'gone_nodes',
    'invitations',
    'live_logs',
    'maintenance_nodes',
    'maintenance_windows',
    'node_certificates',
    'node_media',
    'nodes',
    'notice_receivers',
    'notices',
    'oauth_clients',
    'oauth_tokens',
    'operator_acts',
    'operator_refresh_tokens',
    'operator_sessions',
    'operator_sign_in_codes',
    'operators',
    'pools',
  ],
  ...['rate_windows', 'scaled_pools', 'sign_in_failures', 'task_shapes', 'task_words'],
]

const hasAccountId = sql`exists (select from pg_attribute a
  where a.attrelid = c.oid and a.attname = 'account_id' and not a.attisdropped)`

async function tableNames(condition: RawBuilder<unknown>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_class c
    where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace
      and c.relname not like 'kysely%' and ${condition} order by 1`.execute(db)
  return rows.map(({ name }) => name)
}

/** SQL of a value for each type, unique where that can matter. */
const someValue: Readonly<Record<string, string>> = {
  uuid: 'gen_random_uuid()',
  text: 'gen_random_uuid()::text',
  bytea: 'sha256(gen_random_uuid()::text::bytea)',
  jsonb: `'{}'`,
  boolean: 'false',
  'text[]': `'{}'`,
  'uuid[]': `'{}'`,
}

/** Adds a row with values for columns without a default; constraints are ignored. */
async function addAnyRow(table: string, accountId: string): Promise<void> {
  const { rows } = await sql<{ name: string; type: string }>`
    select attname as name, format_type(atttypid, null) as type from pg_attribute
    where attrelid = ${table}::regclass and attnum > 0 and not attisdropped and attnotnull
      and not atthasdef and attidentity = '' and attname <> 'account_id'`.execute(db)
  const columns = ['account_id', ...rows.map(({ name }) => name)]
  const values = rows.map(({ type }) => {
    if (/^(timestamp|date)/.test(type)) return 'now()'
    return someValue[type] ?? '(random() * 1000000)::integer'
  })
  await db.transaction().execute(async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx)
    await sql`insert into ${sql.table(table)} (${sql.raw(columns.join(', '))})
      values (${sql.raw([`'${accountId}'`, ...values].join(', '))})`.execute(tx)
  })
}

/** Any row will do without checks; this database is thrown away. */
async function dropChecks(): Promise<void> {
  const { rows } = await sql<{ statement: string }>`
    select format('alter table %s drop constraint %I', conrelid::regclass, conname) as statement
    from pg_constraint where contype = 'c' and conrelid <> 0
      and connamespace = 'public'::regnamespace`.execute(db)
  for (const { statement } of rows) await sql.raw(statement).execute(db)
}

test('a table names its rows’ account or is the farm’s own', async (t) => {
  t.deepEqual(await tableNames(sql`not ${hasAccountId}`), ['accounts', ...farmTables].sort())
})

test('a select without where finds just the account’s rows in every table', async (t) => {
  const [one, other] = [await addAccount(db), await addAccount(db)]
  const tables = await tableNames(hasAccountId)
  t.true(tables.length >= 9)
  await dropChecks()
  for (const table of tables) {
    await addAnyRow(table, one)
    await addAnyRow(table, other)
    const { rows } = await sql<{ account_id: string }>`
      select account_id from ${sql.table(table)}`.execute(accounts.of(one))
    t.true(rows.length > 0, table)
    t.true(
      rows.every(({ account_id }) => account_id === one),
      `${table} shows rows of another account: say select keep_to_account('${table}') in its migration`,
    )
    const changed = await sql`
      update ${sql.table(table)} set account_id = account_id where account_id = ${other}
    `.execute(accounts.of(one))
    t.is(changed.numAffectedRows, 0n, table)
    await t.throwsAsync(
      async () =>
        await sql`update ${sql.table(table)} set account_id = ${other}`.execute(accounts.of(one)),
      { message: /row-level security/ },
      table,
    )
  }
})

test('the farm’s own tables are not read by a customer’s role', async (t) => {
  const { of } = accounts
  const mine = of(await addAccount(db))
  for (const table of farmTables) {
    const read = async () => await sql`select * from ${sql.table(table)}`.execute(mine)
    await t.throwsAsync(read, { message: /permission denied/ }, table)
  }
  const { rows } = await sql`select id from accounts`.execute(mine)
  t.is(rows.length, 1)
  const enrich = async () => await sql`update accounts set plan = 'studio'`.execute(mine)
  await t.throwsAsync(enrich, { message: /permission denied/ })
})

test('a connection keeps nothing of the account that it served last', async (t) => {
  const ids = await Promise.all(Array.from({ length: 20 }, () => addAccount(db)))
  const seen = await Promise.all(
    ids.map(async (id) => {
      const { rows } = await sql<{ id: string }>`select id from accounts`.execute(accounts.of(id))
      return rows.map((row) => row.id)
    }),
  )
  t.deepEqual(
    seen,
    ids.map((id) => [id]),
  )
})

/** Opens a single connection, so that its state would show. */
function oneConnection(t: ExecutionContext) {
  const one = openAccountDatabases({ url, log: silent, connections: 1 })
  t.teardown(one.close)
  return one
}

test('a connection keeps a named statement that shows each account its rows', async (t) => {
  const { of } = oneConnection(t)
  const ids = await Promise.all(Array.from({ length: 12 }, () => addAccount(db)))
  for (const id of ids) {
    const { rows } = await sql`${prepared('own-account')} select id from accounts`.execute(of(id))
    t.deepEqual(rows, [{ id }])
  }
  const { rows } = await sql`
    select name, generic_plans + custom_plans as uses from pg_prepared_statements
    where name <> '' order by name`.execute(of(ids[0] ?? ''))
  t.deepEqual(rows, [
    { name: 'own-account', uses: 12 },
    { name: 'tenant_preamble', uses: 13 },
  ])
})

test('a named statement works again after its first failure', async (t) => {
  const mine = oneConnection(t).of(await addAccount(db))
  const share = async (n: number) => {
    const asked = sql<{ share: number }>`${prepared('share')} select 6 / ${n}::integer as share`
    return (await asked.execute(mine)).rows
  }
  await t.throwsAsync(share(0), { message: /division by zero/ })
  t.deepEqual(await share(2), [{ share: 3 }])
  t.deepEqual(await share(3), [{ share: 2 }])
})

test('a named statement that the server refused is given to it again', async (t) => {
  const mine = oneConnection(t).of(await addAccount(db))
  const look = async () => (await sql`${prepared('later')} select n from later`.execute(mine)).rows
  await t.throwsAsync(look, { message: /relation "later" does not exist/ })
  await t.throwsAsync(look, { message: /relation "later" does not exist/ })
  await sql`create view later as select 1 as n`.execute(db)
  t.teardown(() => sql`drop view later`.execute(db))
  await sql`grant select on later to farm_customer`.execute(db)
  t.deepEqual(await look(), [{ n: 1 }])
  t.deepEqual(await look(), [{ n: 1 }])
})

test('a transaction keeps its account, ends with its error, leaves connections well', async (t) => {
  const [one, other] = [await addAccount(db), await addAccount(db)]
  const mine = accounts.of(one)
  const jobId = await addJob(db, one)
  await addTask(db, { accountId: one, jobId })
  const theirs = await addJob(db, other)
  const broken = mine.transaction().execute(async (tx) => {
    const { rows } = await sql<{ id: string }>`select id from jobs`.execute(tx)
    t.deepEqual(
      rows.map(({ id }) => id),
      [jobId],
    )
    await sql`select 1 / 0`.execute(tx)
  })
  await t.throwsAsync(broken, { message: /division by zero/ })
  await t.throwsAsync(async () => await sql`select nonsense`.execute(mine))
  const settlement = { to: 'cancelled', charge: 3 } as const
  const forged = { accountId: other, jobId: theirs, reason: 'x', settlement }
  t.is(await settleJob(mine, forged), undefined)
  t.like(await settleJob(mine, { accountId: one, jobId, reason: 'x', settlement }), {
    settled: true,
    state: 'cancelled',
  })
})

// Serial, because others of this file add and end jobs.
test.serial('a place in the queue counts the jobs of all accounts', async (t) => {
  const [one, other] = [await addAccount(db), await addAccount(db)]
  await addJob(db, other)
  const jobId = await addJob(db, one)
  const seenBy = async (view: typeof db) =>
    (await getJob(view, { accountId: one, jobId }))?.queuePosition
  const position = await seenBy(accounts.of(one))
  t.true((position ?? 0) >= 2)
  t.is(position, await seenBy(db))
})
