import { mkdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { freePorts } from '../../infra/local/ports.ts'
import { startPostgres } from '../../infra/local/postgres.ts'
import { startTemporal } from '../../infra/local/temporal.ts'
import { claimDataDir, keptSecret, operateFile, writeSecret } from './data-folder.ts'
import { prepareAccount } from './dev-account.ts'
import { type Kept, keepRunning, type Part } from './keep-running.ts'
import { writeMonitoring } from './monitoring.ts'
import { type Role, startRole } from './role.ts'

export type LocalFarmOptions = {
  readonly dataDir: string
  /** Absent: a free one. */
  readonly port?: number
  readonly workers: number
  /** `host:port` that media URLs may name; absent: FARM_TRUSTED_HOSTS. */
  readonly trustedHosts?: readonly string[]
  readonly onEvent: (event: FarmEvent) => void
}

/** `ready`: a part is up, `count` of `of`. `trouble`: one ended by itself; a sentence says which. */
export type FarmEvent =
  | { readonly kind: 'ready'; readonly name: string; readonly count: number; readonly of: number }
  | { readonly kind: 'trouble'; readonly sentence: string }

export type LocalFarm = {
  /** Resolves when the farm can render. Rejects when a part does not start. */
  readonly ready: Promise<{ readonly url: string; readonly apiKey: string }>
  /** Resolves when a part ended for good. */
  readonly gaveUp: Promise<Error>
  /** Ends every process of it, also in the middle of starting. */
  stop(): Promise<void>
}

/** Every address and secret of one farm. */
type Plan = {
  readonly dataDir: string
  readonly url: string
  readonly apiPort: number
  readonly schedulerPort: number
  readonly postgresPort: number
  readonly temporalPort: number
  /** Of api, scheduler, workflows and the workers, in this order. */
  readonly metricsPorts: readonly number[]
  readonly secret: string
  readonly nodeToken: string
  readonly trustedHosts: string
  readonly workers: number
}

/**
 * Starts Postgres, Temporal, scheduler, api, workflows and workers on this machine, all bound to
 * 127.0.0.1 and ending with this process. DATABASE_URL, TEMPORAL_ADDRESS and FARM_OBJECTS replace
 * the local ones when they are set. A part that ends by itself is started again.
 */
export function startLocalFarm(options: LocalFarmOptions): LocalFarm {
  const { promise: gaveUp, resolve: giveUp } = Promise.withResolvers<Error>()
  const servers: Promise<Kept>[] = []
  const roles: Promise<Kept>[] = []
  let release = () => {}
  let isStopping = false
  let readyParts = 0

  const report = (sentence: string) => options.onEvent({ kind: 'trouble', sentence })

  async function keep(into: Promise<Kept>[], name: string, start: () => Promise<Part>) {
    if (isStopping) throw new Error('The farm is being stopped')
    const starting = keepRunning(name, start, report)
    into.push(starting)
    void (await starting).gaveUp.then(giveUp)
    readyParts += 1
    options.onEvent({ kind: 'ready', name, count: readyParts, of: partsOf(options) })
  }

  /** Answers the URL of the database. */
  async function startDatabase({ dataDir, postgresPort }: Plan): Promise<string> {
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

  async function startWorkflowServer({ dataDir, temporalPort }: Plan): Promise<void> {
    if (process.env.TEMPORAL_ADDRESS) return
    const own = { dataDir: join(dataDir, 'temporal'), port: temporalPort, onTrouble: report }
    await keep(servers, 'Temporal', () => startTemporal(own))
  }

  async function startRoles(plan: Plan): Promise<string> {
    const databaseUrl = await startDatabase(plan)
    const apiKey = await prepareAccount(databaseUrl, plan.dataDir)
    const settings = [`DATABASE_URL=${databaseUrl}`, `FARM_OBJECTS=${objectsOf(plan)}`]
    writeSecret(join(plan.dataDir, operateFile), settings.join('\n'))
    const own = rolesOf(plan, databaseUrl)
    writeMonitoring(plan.dataDir, own)
    await Promise.all(own.map((role) => keep(roles, role.name, () => startRole(role))))
    return apiKey
  }

  async function start(): Promise<{ url: string; apiKey: string }> {
    const dataDir = resolve(options.dataDir)
    release = (await claimDataDir(dataDir)).release
    const plan = await makePlan({ ...options, dataDir })
    // The roles wait for Temporal themselves; it takes a second, about as long as they do.
    const [apiKey] = await Promise.all([startRoles(plan), startWorkflowServer(plan)])
    return { url: plan.url, apiKey }
  }

  async function stop(): Promise<void> {
    isStopping = true
    // Roles first: they say goodbye to the servers.
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

/** How many parts this machine starts. */
function partsOf({ workers }: LocalFarmOptions): number {
  const { DATABASE_URL, TEMPORAL_ADDRESS } = process.env
  return 3 + workers + (DATABASE_URL ? 0 : 1) + (TEMPORAL_ADDRESS ? 0 : 1)
}

async function makePlan({ dataDir, port, workers, trustedHosts }: LocalFarmOptions): Promise<Plan> {
  mkdirSync(join(dataDir, 'logs'), { recursive: true })
  const ports = await freePorts(7 + workers)
  const [apiPort = 0, schedulerPort = 0, postgresPort = 0, temporalPort = 0, ...metricsPorts] =
    ports
  return {
    dataDir,
    url: `http://127.0.0.1:${port ?? apiPort}`,
    apiPort: port ?? apiPort,
    schedulerPort,
    postgresPort,
    temporalPort,
    metricsPorts,
    secret: keptSecret(dataDir, 'secret'),
    nodeToken: keptSecret(dataDir, 'node-token'),
    trustedHosts: trustedHosts?.join(',') ?? process.env.FARM_TRUSTED_HOSTS ?? '',
    workers,
  }
}

function objectsOf({ dataDir }: Plan): string {
  return process.env.FARM_OBJECTS || pathToFileURL(join(dataDir, 'objects')).href
}

function rolesOf(plan: Plan, databaseUrl: string): readonly Role[] {
  // What the farm is made of is said by the plan alone, not by the shell it is started from.
  const { DATABASE_URL, TEMPORAL_ADDRESS, FARM_OBJECTS, FARM_URL, FARM_API_KEY, ...inherited } =
    process.env
  const everyone = { ...inherited, FARM_TRUSTED_HOSTS: plan.trustedHosts }
  const servers = {
    ...everyone,
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: TEMPORAL_ADDRESS || `127.0.0.1:${plan.temporalPort}`,
    FARM_PUBLIC_URL: plan.url,
    FARM_OBJECTS: objectsOf(plan),
    FARM_SECRET: plan.secret,
  }
  const logFile = (name: string) => join(plan.dataDir, 'logs', `${name}.log`)
  const [api, scheduler, workflows, ...nodes] = plan.metricsPorts.map(metricsAt)
  // Each worker would take all cores for itself.
  const lanes = Math.max(1, Math.floor(availableParallelism() / plan.workers))
  return [
    {
      name: 'scheduler',
      command: 'scheduler',
      env: {
        ...servers,
        ...scheduler,
        FARM_SCHEDULER_PORT: String(plan.schedulerPort),
        FARM_NODE_TOKEN: plan.nodeToken,
      },
      logFile: logFile('scheduler'),
    },
    {
      name: 'api',
      command: 'api',
      // Whoever runs a farm for themselves is not kept from asking it.
      env: { FARM_RATE_LIMITS: 'off', ...servers, ...api, FARM_PORT: String(plan.apiPort) },
      logFile: logFile('api'),
    },
    {
      name: 'workflows',
      command: 'workflows',
      env: { ...servers, ...workflows },
      logFile: logFile('workflows'),
    },
    ...Array.from({ length: plan.workers }, (_, index): Role => {
      const name = plan.workers === 1 ? 'worker' : `worker ${index + 1}`
      return {
        name,
        command: 'worker',
        env: {
          FARM_LANES: String(lanes),
          ...everyone,
          ...nodes[index],
          FARM_SCHEDULER_ADDRESS: `127.0.0.1:${plan.schedulerPort}`,
          FARM_NODE_TOKEN: plan.nodeToken,
          FARM_NODE_NAME: `local-${index + 1}`,
          FARM_DATA: join(plan.dataDir, 'workers', String(index + 1)),
        },
        logFile: logFile(`worker-${index + 1}`),
      }
    }),
  ]
}

function metricsAt(port: number): { readonly FARM_METRICS_ADDRESS: string } {
  return { FARM_METRICS_ADDRESS: `127.0.0.1:${port}` }
}
