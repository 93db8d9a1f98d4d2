import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { freePorts } from '../../infra/local/ports.ts'
import { startPostgres } from '../../infra/local/postgres.ts'
import { startTemporal } from '../../infra/local/temporal.ts'
import { claimDataDir, operateFile, storedSecret, writeSecret } from './data-folder.ts'
import { prepareAccount } from './dev-account.ts'
import { type Kept, keepRunning, type Part } from './keep-running.ts'
import { writeMonitoring } from './monitoring.ts'
import { startRole } from './role.ts'
import { controlOf, type FarmPlan, objectsOf, together, workersOf } from './roles.ts'

export type LocalFarmOptions = {
  readonly dataDir: string
  /** 0 or absent: a free one. */
  readonly port?: number
  readonly workers: number
  /**
   * Api, scheduler and workflows are a process each, as in production; absent: one for the three.
   */
  readonly apart?: boolean
  /** `host:port` that media URLs may name; absent: FARM_TRUSTED_HOSTS. */
  readonly trustedHosts?: readonly string[]
  readonly onEvent: (event: FarmEvent) => void
}

/**
 * `ready`: a part is up, `count` of `of`. `trouble`: a part ended by itself, named in the sentence.
 */
export type FarmEvent =
  | { readonly kind: 'ready'; readonly name: string; readonly count: number; readonly of: number }
  | { readonly kind: 'trouble'; readonly sentence: string }

export type LocalFarmAddress = {
  readonly url: string
  /** A key of the farm's own account. */
  readonly apiKey: string
  readonly databaseUrl: string
}

export type LocalFarm = {
  /** Resolves when the farm can render. Rejects when a part does not start. */
  readonly ready: Promise<LocalFarmAddress>
  /** Resolves when a part ended for good. */
  readonly gaveUp: Promise<Error>
  /** Ends every process of it, even during the start. */
  stop(): Promise<void>
}

/**
 * Starts Postgres, Temporal, scheduler, api, workflows and workers on this machine, all bound to
 * 127.0.0.1 and ending with this process. DATABASE_URL, TEMPORAL_ADDRESS and FARM_OBJECTS replace
 * the local ones when they are set. A part that ends by itself is restarted.
 */
export function startLocalFarm(options: LocalFarmOptions): LocalFarm {
  const { promise: gaveUp, resolve: giveUp } = Promise.withResolvers<Error>()
  const servers: Promise<Kept>[] = []
  const roles: Promise<Kept>[] = []
  let release = () => {}
  const stopping = new AbortController()
  let readyParts = 0

  const report = (sentence: string) => options.onEvent({ kind: 'trouble', sentence })

  async function keep(into: Promise<Kept>[], name: string, start: () => Promise<Part>) {
    if (stopping.signal.aborted) throw new Error('The farm is being stopped')
    const starting = keepRunning(name, start, report)
    into.push(starting)
    void (await starting).gaveUp.then(giveUp)
    readyParts += 1
    options.onEvent({ kind: 'ready', name, count: readyParts, of: partsOf(options) })
  }

  /** Returns the URL of the database. */
  async function startDatabase({ dataDir, postgresPort }: FarmPlan): Promise<string> {
    const { DATABASE_URL } = process.env
    if (DATABASE_URL) return DATABASE_URL
    let url = ''
    await keep(servers, 'Postgres', async () => {
      const server = await startPostgres({ dataDir: join(dataDir, 'postgres'), port: postgresPort })
      url = server.url
      return server
    })
    return url
  }

  async function startWorkflowServer({ dataDir, temporalPort }: FarmPlan): Promise<void> {
    if (process.env.TEMPORAL_ADDRESS) return
    const own = { dataDir: join(dataDir, 'temporal'), port: temporalPort, onTrouble: report }
    await keep(servers, 'Temporal', () => startTemporal(own))
  }

  async function startRoles(plan: FarmPlan): Promise<Omit<LocalFarmAddress, 'url'>> {
    const database = prepareDatabase(plan)
    const control = controlOf(plan)
    const workers = workersOf(plan)
    writeMonitoring(plan.dataDir, [...control, ...workers])
    const own = [...(options.apart ? control : [together(control, plan)]), ...workers]
    const stopStarting = stopping.signal
    const started = own.map((role) => {
      // A node never gets the database's address.
      const isNode = role.command === 'worker'
      const lateEnv = database.then(
        ({ databaseUrl }): NodeJS.ProcessEnv => (isNode ? {} : { DATABASE_URL: databaseUrl }),
      )
      return keep(roles, role.name, () => startRole({ ...role, lateEnv, stopStarting }))
    })
    await Promise.all([database, ...started])
    return await database
  }

  /** Starts the database and fills what a new one lacks. Roles load their code meanwhile. */
  async function prepareDatabase(plan: FarmPlan): Promise<Omit<LocalFarmAddress, 'url'>> {
    const databaseUrl = await startDatabase(plan)
    const apiKey = await prepareAccount(databaseUrl, plan.dataDir)
    const settings = [
      ...[`DATABASE_URL=${databaseUrl}`, `FARM_OBJECTS=${objectsOf(plan)}`],
      `FARM_SCHEDULER_ADDRESS=127.0.0.1:${plan.schedulerPort}`,
      `FARM_NODE_TOKEN=${plan.nodeToken}`,
    ]
    writeSecret(join(plan.dataDir, operateFile), settings.join('\n'))
    return { apiKey, databaseUrl }
  }

  async function start(): Promise<LocalFarmAddress> {
    const dataDir = resolve(options.dataDir)
    release = (await claimDataDir(dataDir)).release
    const plan = await makePlan({ ...options, dataDir })
    // The roles wait for Temporal themselves; it takes a second to start, about as long as they do.
    const [address] = await Promise.all([startRoles(plan), startWorkflowServer(plan)])
    return { url: plan.url, ...address }
  }

  async function stop(): Promise<void> {
    stopping.abort()
    // Roles stop first, because they still send to the servers.
    for (const parts of [roles, servers]) {
      const started = await Promise.allSettled(parts)
      await Promise.all(
        started.map((each) => (each.status === 'fulfilled' ? each.value.stop() : undefined)),
      )
    }
    release()
  }

  return { ready: start(), gaveUp, stop }
}

/** Number of parts that this machine starts. */
function partsOf({ workers, apart }: LocalFarmOptions): number {
  const { DATABASE_URL, TEMPORAL_ADDRESS } = process.env
  return (apart ? 3 : 1) + workers + (DATABASE_URL ? 0 : 1) + (TEMPORAL_ADDRESS ? 0 : 1)
}

async function makePlan({
  dataDir,
  port,
  workers,
  trustedHosts,
}: LocalFarmOptions): Promise<FarmPlan> {
  mkdirSync(join(dataDir, 'logs'), { recursive: true })
  const ports = await freePorts(7 + workers)
  const [apiPort = 0, schedulerPort = 0, postgresPort = 0, temporalPort = 0, ...metricsPorts] =
    ports
  const host = `127.0.0.1:${port || apiPort}`
  const trusted = trustedHosts?.join(',') ?? process.env.FARM_TRUSTED_HOSTS ?? ''
  return {
    dataDir,
    url: `http://${host}`,
    apiPort: port || apiPort,
    schedulerPort,
    postgresPort,
    temporalPort,
    metricsPorts,
    secret: storedSecret(dataDir, 'secret'),
    nodeToken: storedSecret(dataDir, 'node-token'),
    // The library's examples name media that the farm itself serves.
    trustedHosts: [host, trusted].filter(Boolean).join(','),
    workers,
  }
}
