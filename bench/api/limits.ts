import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { freePorts } from '../../infra/local/ports.ts'
import { startProcess, waitUntilReady } from '../../infra/local/processes.ts'
import type { Stage } from './stage.ts'

/** Baseline programs that do less than the gateway, in as many processes. */
export type Limit = {
  readonly addresses: readonly string[]
  readonly pids: readonly number[]
  stop(): Promise<void>
}

/** Starts routes that do one insert per request. */
export async function startBareRoutes(stage: Stage): Promise<Limit> {
  await sql`create table bench_requests (id uuid primary key, request jsonb)`.execute(stage.db)
  return await startTwo(stage, { script: 'bare-route.ts', args: [stage.databaseUrl] })
}

/** Starts `minimal-baseline.ts`, and creates the accounts from which it takes credits. */
export async function startLeastPrograms(
  stage: Stage,
  accounts: number,
): Promise<Limit & { readonly accountIds: readonly string[] }> {
  const { db, databaseUrl, temporalAddress } = stage
  for (const table of tables) await sql.raw(table).execute(db)
  const { rows } = await sql<{ id: string }>`
    insert into bench_accounts (id, credits)
    select gen_random_uuid(), 1000000000 from generate_series(1, ${accounts}::int)
    returning id`.execute(db)
  const limit = await startTwo(stage, {
    script: 'minimal-baseline.ts',
    args: [databaseUrl, temporalAddress],
  })
  return { ...limit, accountIds: rows.map(({ id }) => id) }
}

const tables = [
  'create table bench_accounts (id uuid primary key, credits bigint not null check (credits >= 0))',
  `create table bench_jobs (id uuid primary key, account_id uuid not null references bench_accounts,
    request jsonb not null, created_at timestamptz not null default now())`,
  `create table bench_entries (id bigint generated always as identity primary key,
    job_id uuid not null, account_id uuid not null references bench_accounts,
    credits bigint not null)`,
]

async function startTwo(
  { folder }: Stage,
  { script, args }: { script: string; args: readonly string[] },
): Promise<Limit> {
  const path = fileURLToPath(new URL(script, import.meta.url))
  const ports = await freePorts(2)
  const running = await Promise.all(
    ports.map(async (port) => {
      const each = await startProcess({
        name: script,
        command: process.execPath,
        args: [path, String(port), ...args],
        logFile: join(folder, `${script}-${port}.log`),
      })
      const probe = () => fetch(`http://127.0.0.1:${port}/healthz`)
      await waitUntilReady(each, { probe, timeoutMs: 30_000 })
      return each
    }),
  )
  return {
    addresses: ports.map((port) => `http://127.0.0.1:${port}`),
    pids: running.map(({ pid }) => pid),
    stop: async () => {
      await Promise.all(running.map((each) => each.stop()))
    },
  }
}
