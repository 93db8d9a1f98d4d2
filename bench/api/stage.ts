import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { startRole } from '../../cli/farm/role.ts'
import { freePorts } from '../../infra/local/ports.ts'
import { startPostgres } from '../../infra/local/postgres.ts'
import { startTemporal } from '../../infra/local/temporal.ts'
import { createLog } from '../../runtime/log.ts'
import { createAccount } from '../../store/db/accounts/create-account.ts'
import { createKey } from '../../store/db/accounts/create-key.ts'
import { grantCredits } from '../../store/db/accounts/grant-credits.ts'
import { type Db, openDatabase } from '../../store/db/database.ts'
import { migrate } from '../../store/db/migrate.ts'

const credits = 1_000_000_000

export type Stage = {
  readonly db: Db
  readonly databaseUrl: string
  readonly temporalAddress: string
  readonly pids: {
    readonly postgres: number
    readonly temporal: number
    readonly apis: readonly number[]
  }
  /** Addresses of the two api processes. */
  readonly addresses: readonly string[]
  readonly folder: string
  /**
   * Creates accounts of the largest plan, each with its key: a single one would reach its rate
   * limit.
   */
  customers(count: number): Promise<readonly Customer[]>
  /** Starts an api that was killed again, at its address. */
  startApiAgain(at: number): Promise<void>
  stop(): Promise<void>
}
export type Customer = { readonly accountId: string; readonly key: string }

/** Starts Postgres, Temporal and two api processes, as `farm api` runs, in a temporary folder. */
export async function startStage({
  trustedHosts = '',
  withWorkflows = false,
  operatorApi = 'off',
}: {
  trustedHosts?: string
  /** Runs the workflows; otherwise they are started and nothing processes them. */
  withWorkflows?: boolean
  /** FARM_OPERATOR_API of the apis. */
  operatorApi?: 'on' | 'off'
} = {}): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'farm-bench-'))
  const postgres = await startPostgres({ dataDir: join(folder, 'postgres') })
  const temporal = await startTemporal({ dataDir: join(folder, 'temporal') })
  const db = openDatabase({ url: postgres.url, log: createLog('bench', 'silent') })
  await migrate(db)
  await mkdir(join(folder, 'objects'))
  const ports = await freePorts(2)
  const addresses = ports.map((port) => `http://127.0.0.1:${port}`)
  const env = {
    ...process.env,
    DATABASE_URL: postgres.url,
    TEMPORAL_ADDRESS: temporal.address,
    FARM_OBJECTS: pathToFileURL(join(folder, 'objects')).href,
    FARM_SECRET: 'a secret for measurements',
    FARM_PUBLIC_URL: addresses[0],
    FARM_TRUSTED_HOSTS: trustedHosts,
    FARM_METRICS_ADDRESS: '127.0.0.1:0',
    FARM_OPERATOR_API: operatorApi,
  }
  const roles = await Promise.all([
    ...ports.map((port) => startOne('api', { ...env, FARM_PORT: String(port) })),
    ...(withWorkflows ? [startOne('workflows', env)] : []),
  ])
  return {
    db,
    databaseUrl: postgres.url,
    temporalAddress: temporal.address,
    pids: {
      ...{ postgres: postgres.pid, temporal: temporal.pid },
      apis: roles.slice(0, ports.length).map(({ pid }) => pid),
    },
    addresses,
    folder,
    async customers(count) {
      return await Promise.all(Array.from({ length: count }, () => addCustomer(db)))
    },
    async startApiAgain(at) {
      roles.push(await startOne('api', { ...env, FARM_PORT: String(ports[at]) }))
    },
    async stop() {
      await Promise.all(roles.map((role) => role.stop()))
      await db.destroy()
      await Promise.all([postgres.stop(), temporal.stop()])
      await rm(folder, { recursive: true, force: true })
    },
  }

  async function startOne(command: 'api' | 'workflows', roleEnv: NodeJS.ProcessEnv) {
    const name = `${command}-${roleEnv.FARM_PORT ?? ''}`
    return await startRole({ name, command, env: roleEnv, logFile: join(folder, `${name}.log`) })
  }
}

async function addCustomer(db: Db): Promise<Customer> {
  const { id: accountId } = await createAccount(db, { name: 'bench', plan: 'studio' })
  await grantCredits(db, { accountId, credits, note: 'for the measurement' })
  const { key } = await createKey(db, { accountId, name: 'bench' })
  return { accountId, key }
}
