import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { sql } from 'kysely'
import pg from 'pg'
import { freePort } from '../../../infra/local/ports.ts'
import { startPostgres } from '../../../infra/local/postgres.ts'
import { debianPostgres } from '../../../infra/setup/system.mjs'
import { createCallBatches } from '../../../scheduler/queue/call-batches.ts'
import { openAccountDatabases } from '../../../store/db/account-databases.ts'
import { type Db, openDatabase } from '../../../store/db/database.ts'
import { listen } from '../../../store/db/listen.ts'
import { migrate } from '../../../store/db/migrate.ts'
import { farm } from '../../cli/run-farm.ts'
import { addAccount, addNode, silent } from '../database.ts'

const binaries = debianPostgres().findLast((path) => existsSync(`${path}/lib/llvmjit.so`))
const withJit = binaries === undefined ? test.skip : test.serial
const pgbouncer = '/usr/sbin/pgbouncer'
const withPooler = binaries && existsSync(pgbouncer) ? test.serial : test.skip

/** Debian's Postgres, which compiles every statement unless told otherwise. */
async function startCompiling(t: ExecutionContext) {
  const dataDir = mkdtempSync(join(tmpdir(), 'farm-test-'))
  chmodSync(dataDir, 0o711)
  t.teardown(() => rmSync(dataDir, { recursive: true, force: true }))
  const settings = ['shared_preload_libraries=pg_stat_statements', 'jit=on']
    .concat(
      ['jit_above_cost', 'jit_inline_above_cost', 'jit_optimize_above_cost'].map(
        (name) => `${name}=0`,
      ),
    )
    .concat('fsync=off')
  const postgres = await startPostgres({ dataDir, settings, ...(binaries && { binaries }) })
  t.teardown(() => postgres.stop())
  const admin = new pg.Client(postgres.url)
  await admin.connect()
  t.teardown(() => admin.end())
  await admin.query('create extension pg_stat_statements')
  const compiled = async () =>
    (
      await admin.query<{ query: string }>(
        `select query from pg_stat_statements where jit_functions > 0 and userid = (select oid from pg_roles where rolname = 'farm') and query not like '%pg_stat_statements%'`,
      )
    ).rows.map(({ query }) => query)
  return { ...postgres, admin, dataDir, compiled }
}

withJit('no statement of the farm is compiled where the server has JIT on', async (t) => {
  const { url, admin, compiled } = await startCompiling(t)
  await admin.query('select pg_stat_statements_reset()')
  const db = openDatabase({ url, log: silent })
  t.teardown(() => db.destroy())
  await migrate(db)
  const scheduler = openDatabase({ url, log: silent, prepared: true })
  t.teardown(() => scheduler.destroy())
  const accounts = openAccountDatabases({ url, log: silent })
  t.teardown(() => accounts.close())
  const { promise: heard, resolve } = Promise.withResolvers<void>()
  t.teardown(listen({ url, channel: 'tasks', log: silent, onNotify: () => resolve() }))
  await heard
  const nodeId = await addNode(db)
  const batches = createCallBatches(scheduler)
  t.deepEqual((await batches.leases.submit({ nodeId, slots: 4 })).tasks, [])
  t.is(await batches.speculative.submit(nodeId), undefined)
  await sql`select id from jobs`.execute(accounts.of(await addAccount(db)))
  t.deepEqual(await compiled(), [])

  await admin.query('select count(*) from nodes')
  t.deepEqual(await compiled(), ['select count(*) from nodes'], 'this server does compile')
})

withJit('the doctor tells that the server has JIT on and the farm has not', async (t) => {
  const { url } = await startCompiling(t)
  const { out } = await farm(['doctor'], { env: { DATABASE_URL: url } })
  t.regex(out, /^✓ Postgres +15\.\d+.* at DATABASE_URL, JIT on there and off for the farm$/m)
})

withPooler('a pooler that refuses startup parameters is told JIT is off, too', async (t) => {
  const { url, dataDir, admin } = await startCompiling(t)
  const { port, password } = new URL(url)
  const [listenPort, pooler] = [await freePort(), join(dataDir, 'pooler')]
  writeFileSync(join(dataDir, 'users'), `"farm" "${password}"\n`)
  writeFileSync(
    pooler,
    `[databases]\nfarm = host=127.0.0.1 port=${port} user=farm password=${password}\n[pgbouncer]\n` +
      `listen_addr = 127.0.0.1\nlisten_port = ${listenPort}\nunix_socket_dir =\nauth_type = md5\n` +
      `auth_file = ${join(dataDir, 'users')}\npool_mode = session\n`,
  )
  chmodSync(pooler, 0o644)
  const bouncer = spawn(pgbouncer, ['-u', 'postgres', pooler], { stdio: 'ignore' })
  const ended = once(bouncer, 'exit')
  t.teardown(async () => {
    bouncer.kill('SIGINT')
    await ended
  })
  const through = `postgres://farm:${password}@127.0.0.1:${listenPort}/farm`
  const db = openDatabase({ url: through, log: silent, connections: 1, prepared: true })
  t.teardown(() => db.destroy())
  await answers(db)
  for (const [name, value] of [
    ['jit', 'off'],
    ['plan_cache_mode', 'force_generic_plan'],
    ['statement_timeout', '30s'],
  ] as const) {
    const { rows } = await sql`select current_setting(${name}) as value`.execute(db)
    t.deepEqual(rows, [{ value }], name)
  }
  const told = await farm(['doctor'], { env: { DATABASE_URL: through } })
  t.regex(told.out, /^- Postgres .*JIT on there.*through a pooler[^\n]*\n +→ .*alter role/m)
  await admin.query('alter role farm set jit = off')
  await admin.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and usename = 'farm'`,
  )
  const again = await farm(['doctor'], { env: { DATABASE_URL: through } })
  t.regex(again.out, /^✓ Postgres .*JIT off there/m)
})

async function answers(db: Db): Promise<void> {
  for (let left = 50; ; left -= 1) {
    try {
      await sql`select 1`.execute(db)
      return
    } catch (error) {
      if (left === 0) throw error
      await sleep(100)
    }
  }
}
