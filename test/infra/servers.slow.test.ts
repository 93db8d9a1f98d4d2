import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Connection, Client as Temporal } from '@temporalio/client'
import test, { type ExecutionContext } from 'ava'
import pg from 'pg'
import { startMinio } from '../../infra/local/minio.ts'
import { startPostgres } from '../../infra/local/postgres.ts'
import { startTemporal } from '../../infra/local/temporal.ts'
import { leftAfterAWhile, livingWith } from './living.ts'

function makeDir(t: ExecutionContext): string {
  const dir = mkdtempSync(join(tmpdir(), 'farm-servers-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

/** Path of Postgres's cluster: elsewhere when root lends it a user that cannot enter. */
function clusterOf(dataDir: string): string {
  const marker = join(dataDir, 'elsewhere')
  return existsSync(marker)
    ? join(readFileSync(marker, 'utf8'), 'cluster')
    : join(dataDir, 'postgres', 'cluster')
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

test('Postgres keeps data durably over a restart and leaves nothing running', async (t) => {
  const dataDir = makeDir(t)
  const first = await startPostgres({ dataDir })
  t.teardown(first.stop)
  await query(first.url, 'create table kept as select 42 as answer')
  t.deepEqual(await query(first.url, "select current_setting('fsync') as fsync"), [{ fsync: 'on' }])
  await first.stop()
  t.deepEqual(livingWith(clusterOf(dataDir)), [])

  const second = await startPostgres({ dataDir })
  t.teardown(second.stop)
  t.deepEqual(await query(second.url, 'select answer from kept'), [{ answer: 42 }])
})

test('Postgres asks for the password that was made up for it', async (t) => {
  const postgres = await startPostgres({ dataDir: makeDir(t) })
  t.teardown(postgres.stop)
  const url = new URL(postgres.url)
  url.password = 'farm'
  await t.throwsAsync(query(url.href, 'select 1'), { message: /password authentication failed/ })
})

test('Postgres starts over a pid file whose number something else now has', async (t) => {
  const dataDir = makeDir(t)
  await (await startPostgres({ dataDir })).stop()
  const cluster = clusterOf(dataDir)
  writeFileSync(join(cluster, 'postmaster.pid'), `${process.pid}\n${cluster}\n`, { mode: 0o644 })
  const postgres = await startPostgres({ dataDir })
  t.teardown(postgres.stop)
  t.deepEqual(await query(postgres.url, 'select 1 as one'), [{ one: 1 }])
})

test('a second farm in the same data directory is refused', async (t) => {
  const dataDir = makeDir(t)
  const postgres = await startPostgres({ dataDir })
  t.teardown(postgres.stop)
  await t.throwsAsync(startPostgres({ dataDir }), {
    message: /^A data directory serves one farm at a time; process \d+ already runs Postgres in /,
  })
  t.deepEqual(await query(postgres.url, 'select 1 as one'), [{ one: 1 }])
})

test('Temporal keeps its workflows over a restart', async (t) => {
  const dataDir = makeDir(t)
  const start = async () => {
    const temporal = await startTemporal({ dataDir })
    t.teardown(temporal.stop)
    const connection = await Connection.connect({ address: temporal.address })
    t.teardown(() => connection.close())
    const stop = async () => {
      await connection.close()
      await temporal.stop()
    }
    return { client: new Temporal({ connection }), stop }
  }
  const first = await start()
  await first.client.workflow.start('waits', { taskQueue: 'nobody', workflowId: 'kept' })
  await first.stop()
  t.deepEqual(livingWith(dataDir), [])

  const second = await start()
  const { status } = await second.client.workflow.getHandle('kept').describe()
  t.is(status.name, 'RUNNING')
})

test('MinIO serves the bucket that its URL names', async (t) => {
  const dataDir = makeDir(t)
  const minio = await startMinio({ dataDir })
  t.teardown(minio.stop)
  const { protocol, pathname, searchParams, host } = new URL(minio.url)
  t.is(protocol, 's3:')
  t.is(pathname, '/farm')
  t.is(searchParams.get('ssl'), '0')
  // Unsigned requests are refused, for an existing bucket as for a missing one.
  t.is((await fetch(`http://${host}/farm/`)).status, 403)
  t.true(existsSync(join(dataDir, 'objects', 'farm')))
  await minio.stop()
  t.deepEqual(livingWith(dataDir), [])
})

for (const kind of ['postgres', 'temporal', 'minio']) {
  test(`${kind} does not outlive a farm that was killed`, async (t) => {
    const dataDir = makeDir(t)
    const parentFile = fileURLToPath(new URL('./parent.ts', import.meta.url))
    const parent = spawn(process.execPath, [parentFile, kind, dataDir], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    t.teardown(() => parent.kill('SIGKILL'))
    await new Promise((resolve) => parent.stdout.once('data', resolve))
    parent.stdout.destroy()
    parent.kill('SIGKILL')
    await new Promise((resolve) => parent.once('exit', resolve))
    const folder = kind === 'postgres' ? clusterOf(dataDir) : dataDir
    t.deepEqual(await leftAfterAWhile(folder), [])
  })
}
