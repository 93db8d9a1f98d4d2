import { randomUUID } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startPostgres } from '../../infra/local/postgres.ts'
import { createLog } from '../../runtime/log.ts'
import { openDatabase } from '../../store/db/database.ts'
import { migrate } from '../../store/db/migrate.ts'

const variable = 'FARM_TEST_POSTGRES'

/** A real Postgres. `url` names its migrated database, which is only copied. */
export type Cluster = { readonly url: string; stop(): Promise<void> }

/** Starts a cluster; stopping it leaves nothing behind. */
async function startCluster(): Promise<Cluster> {
  const dataDir = mkdtempSync(join(tmpdir(), 'farm-test-'))
  // Postgres never runs as root: its user must be able to reach the cluster here.
  chmodSync(dataDir, 0o711)
  const { url, stop } = await startPostgres({ dataDir })
  const db = openDatabase({ url, log: createLog('test', 'silent') })
  await migrate(db)
  await db.destroy()
  // No durability needed: nothing is read after a crash.
  await tell(url, 'alter system set fsync = off', 'select pg_reload_conf()')
  return {
    url,
    async stop() {
      await stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** Environment of a run: its files copy their databases from this cluster. */
export function shared({ url }: Cluster): Record<string, string> {
  return { [variable]: url }
}

/** Finds the cluster of the run, which outlives this process; else starts one. */
export async function findCluster(): Promise<Cluster> {
  const url = process.env[variable]
  return url === undefined ? await startCluster() : { url, stop: async () => undefined }
}

/** Copies the migrated database in about 0.1 s; a new cluster takes some seconds. */
export async function copyDatabase({ url }: Cluster) {
  const { url: copy, drop } = await newDatabase({ url }, nameIn(url))
  // Marks schedulers as seen just now, so that no outage is assumed.
  await tell(copy, 'update farm_clock set swept_at = now()')
  return { url: copy, drop }
}

/** Creates a database of the cluster: an empty one, or a copy of one that nobody is connected to. */
export async function newDatabase({ url }: Pick<Cluster, 'url'>, template = 'template0') {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  // A database with connections cannot be copied.
  const beside = withName(url, 'postgres')
  await tell(beside, `create database ${name} template ${template}`)
  return {
    url: withName(url, name),
    drop: async () => await tell(beside, `drop database ${name} with (force)`),
  }
}

async function tell(url: string, ...statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

function nameIn(url: string): string {
  return new URL(url).pathname.slice(1)
}

function withName(url: string, name: string): string {
  return Object.assign(new URL(url), { pathname: `/${name}` }).href
}
