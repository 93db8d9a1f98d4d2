import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { startRole } from '../../cli/farm/role.ts'
import type { Priority } from '../../core/queue/shares.ts'
import { freePorts } from '../../infra/local/ports.ts'
import { startPostgres } from '../../infra/local/postgres.ts'
import { createLog } from '../../runtime/log.ts'
import { createAccount } from '../../store/db/accounts/create-account.ts'
import { type Db, openDatabase } from '../../store/db/database.ts'
import { insertJobWithHold } from '../../store/db/jobs/insert-job-with-hold.ts'
import { migrate } from '../../store/db/migrate.ts'

export type Stage = {
  readonly db: Db
  readonly databaseUrl: string
  readonly folder: string
  /** Addresses of the schedulers. */
  readonly addresses: readonly string[]
  readonly pids: { readonly schedulers: readonly number[]; readonly postgres: number }
  stop(): Promise<void>
}

/** Account with a job for which tasks can be queued. */
export type Tenant = { readonly accountId: string; readonly jobId: string }

/** Starts Postgres, as durable as in production, and schedulers, as `farm scheduler` runs. */
export async function startStage(schedulers: number): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'farm-bench-'))
  const postgres = await startPostgres({ dataDir: join(folder, 'postgres') })
  const db = openDatabase({ url: postgres.url, log: createLog('bench', 'silent') })
  await migrate(db)
  await mkdir(join(folder, 'objects'))
  const ports = await freePorts(schedulers)
  const roles = await Promise.all(
    ports.map((port) =>
      startRole({
        name: `scheduler ${port}`,
        command: 'scheduler',
        logFile: join(folder, `scheduler-${port}.log`),
        env: {
          ...process.env,
          DATABASE_URL: postgres.url,
          FARM_SCHEDULER_PORT: String(port),
          FARM_METRICS_ADDRESS: '127.0.0.1:0',
          FARM_OBJECTS: pathToFileURL(join(folder, 'objects')).href,
          FARM_PUBLIC_URL: 'http://127.0.0.1:1',
          FARM_SECRET: 'a secret for measurements',
        },
      }),
    ),
  )
  return {
    db,
    databaseUrl: postgres.url,
    folder,
    pids: { schedulers: roles.map(({ pid }) => pid), postgres: postgres.pid },
    addresses: ports.map((port) => `127.0.0.1:${port}`),
    async stop() {
      await Promise.all(roles.map((role) => role.stop()))
      await db.destroy()
      await postgres.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Creates accounts of the largest plan, each with a job. */
export async function addTenants(db: Db, count: number): Promise<Tenant[]> {
  return await Promise.all(Array.from({ length: count }, () => addTenant(db)))
}

export async function addTenant(db: Db, priority: Priority = 'normal'): Promise<Tenant> {
  const { id: accountId } = await createAccount(db, { name: 'bench', plan: 'studio' })
  const jobId = randomUUID()
  const job = {
    id: jobId,
    accountId,
    type: 'video',
    name: 'film',
    request: {},
    credits: 0,
  } as const
  await insertJobWithHold(db, job)
  await db
    .updateTable('jobs')
    .set({ priority, state: 'rendering' })
    .where('id', '=', jobId)
    .execute()
  return { accountId, jobId }
}
