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

/** A real Postgres. `url` names its migrated database, which nobody uses but to copy it. */
export type Cluster = { readonly url: string; stop(): Promise<void> }

/** Stopping it leaves nothing behind. */
async function startCluster(): Promise<Cluster> {
  const dataDir = mkdtempSync(join(tmpdir(), 'farm-test-'))
  // Postgres never runs as root: when this does, the user it runs as must find its cluster here.
  chmodSync(dataDir, 0o711)
  const { url, stop } = await startPostgres({ dataDir })
  const db = openDatabase({ url, log: createLog('test', 'silent') })
  await migrate(db)
  await db.destroy()
  // What is written here is not read after a crash.
  await tell(url, 'alter system set fsync = off', 'select pg_reload_conf()')
  return {
    url,
    async stop() {
      await stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** For the environment of a run: its files copy their databases from this cluster. */
export function shared({ url }: Cluster): Record<string, string> {
  return { [variable]: url }
}

/** The cluster of the run that this process belongs to, which outlives it; else one of its own. */
export async function findCluster(): Promise<Cluster> {
  const url = process.env[variable]
  return url === undefined ? await startCluster() : { url, stop: async () => undefined }
}

/** A copy of the migrated database: about 0.1 s, where a cluster of its own takes some seconds. */
export async function copyDatabase({ url }: Cluster) {
  const [template, name] = [nameIn(url), `test_${randomUUID().replaceAll('-', '')}`]
  // One that somebody is connected to cannot be copied.
  const beside = withName(url, 'postgres')
  await tell(beside, `create database ${name} template ${template}`)
  const copy = withName(url, name)
  // As in a database that was migrated just now: nobody thinks of an outage of all schedulers.
  await tell(copy, 'update farm_clock set swept_at = now()')
  return {
    url: copy,
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
