import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { sql } from 'kysely'
import { Registry } from 'prom-client'
import { startPostgres } from '../../../infra/local/postgres.ts'
import { PoolLabels } from '../../../runtime/metrics.ts'
import { addFleetMetrics } from '../../../scheduler/fleet/fleet-metrics.ts'
import { type Db, openDatabase } from '../../../store/db/database.ts'
import { migrate } from '../../../store/db/migrate.ts'
import { silent } from '../../store/database.ts'

/** A Postgres of its own, because `archive_mode` changes at its start alone. */
async function startArchiving(command: string) {
  const dataDir = mkdtempSync(join(tmpdir(), 'farm-test-'))
  chmodSync(dataDir, 0o711)
  const settings = ['archive_mode=on', `archive_command=${command}`]
  const postgres = await startPostgres({ dataDir, settings })
  const db = openDatabase({ url: postgres.url, log: silent })
  await migrate(db)
  return {
    db,
    async stop() {
      await db.destroy()
      await postgres.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

async function scrape(db: Db): Promise<ReadonlyMap<string, number>> {
  const registry = new Registry()
  addFleetMetrics(registry, { db, log: silent, pools: new PoolLabels() })
  const lines = (await registry.metrics()).split('\n').filter((line) => /^farm_wal_/.test(line))
  return new Map(
    lines
      .map((line) => line.split(' ') as [string, string])
      .map(([name, value]) => [name, Number(value)]),
  )
}

async function until(db: Db, condition: string): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ is: boolean }>`
      select ${sql.raw(condition)} as is from pg_stat_archiver`.execute(db)
    if (rows[0]?.is) return
    await sleep(100)
  }
}

test('archived WAL has an age, and no failure', async (t) => {
  const { db, stop } = await startArchiving('true')
  t.teardown(stop)
  await sql`select pg_switch_wal()`.execute(db)
  await until(db, 'archived_count > 0')
  await sql`select pg_sleep(0.01)`.execute(db)
  const seen = await scrape(db)
  t.is(seen.get('farm_wal_archive_failing'), 0)
  t.true((seen.get('farm_wal_archive_age_seconds') ?? 0) > 0)
})

test('WAL that cannot be archived is told as failing', async (t) => {
  const { db, stop } = await startArchiving('false')
  t.teardown(stop)
  await sql`select pg_switch_wal()`.execute(db)
  await until(db, 'failed_count > 0')
  const seen = await scrape(db)
  t.is(seen.get('farm_wal_archive_failing'), 1)
  t.true((seen.get('farm_wal_archive_age_seconds') ?? 0) > 0, 'counted since the figures began')
})
