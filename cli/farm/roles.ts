import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { countCores } from '../../runtime/cores.ts'
import type { Role } from './role.ts'

/** Every address and secret of one farm. */
export type FarmPlan = {
  readonly dataDir: string
  readonly url: string
  readonly apiPort: number
  readonly schedulerPort: number
  readonly postgresPort: number
  readonly temporalPort: number
  /** Ports of api, scheduler, workflows and the workers, in this order. */
  readonly metricsPorts: readonly number[]
  readonly secret: string
  readonly nodeToken: string
  readonly trustedHosts: string
  readonly workers: number
}

export function objectsOf({ dataDir }: FarmPlan): string {
  return process.env.FARM_OBJECTS || pathToFileURL(join(dataDir, 'objects')).href
}

/** Removes the shell's settings that the plan decides. */
function everyone({ trustedHosts }: FarmPlan): NodeJS.ProcessEnv {
  const { DATABASE_URL, FARM_OBJECTS, FARM_URL, FARM_API_KEY, ...others } = process.env
  const { FARM_PORT, FARM_SCHEDULER_PORT, FARM_NODE_TOKEN, ...inherited } = others
  for (const name of Object.keys(inherited)) if (isOfTemporal(name)) delete inherited[name]
  return { ...inherited, FARM_TRUSTED_HOSTS: trustedHosts }
}

/** The shell's settings for Temporal apply only to the server that it names. */
function temporalOf({ temporalPort }: FarmPlan): NodeJS.ProcessEnv {
  if (!process.env.TEMPORAL_ADDRESS) return { TEMPORAL_ADDRESS: `127.0.0.1:${temporalPort}` }
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => isOfTemporal(name)))
}

function isOfTemporal(name: string): boolean {
  return name.startsWith('TEMPORAL_')
}

/** Scheduler, api and workflows, each as a process of its own, without DATABASE_URL. */
export function controlOf(plan: FarmPlan): readonly Role[] {
  const servers = {
    ...everyone(plan),
    ...temporalOf(plan),
    FARM_PUBLIC_URL: plan.url,
    FARM_OBJECTS: objectsOf(plan),
    FARM_SECRET: plan.secret,
  }
  const [api, scheduler, workflows] = plan.metricsPorts.map(metricsAt)
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
      logFile: logFile(plan, 'scheduler'),
    },
    {
      name: 'api',
      command: 'api',
      env: { ...localApi(), ...servers, ...api, FARM_PORT: String(plan.apiPort) },
      logFile: logFile(plan, 'api'),
    },
    {
      name: 'workflows',
      command: 'workflows',
      env: { ...servers, ...workflows },
      logFile: logFile(plan, 'workflows'),
    },
  ]
}

/** A local farm has no rate limits, and whoever runs it operates it. */
function localApi() {
  return { FARM_RATE_LIMITS: 'off', FARM_OPERATOR_API: process.env.FARM_OPERATOR_API || 'on' }
}

/** Merges the three into one process (control.ts). */
export function together(roles: readonly Role[], plan: FarmPlan): Role {
  const envOf = (command: Role['command']) => roles.find((role) => role.command === command)?.env
  const [api, scheduler, workflows] = [envOf('api'), envOf('scheduler'), envOf('workflows')]
  const addresses = [api, scheduler, workflows].map((env) => env?.FARM_METRICS_ADDRESS)
  return {
    name: 'control (api, scheduler, workflows)',
    command: 'control',
    env: { ...api, ...scheduler, ...workflows, FARM_METRICS_ADDRESS: addresses.join(',') },
    logFile: logFile(plan, 'control'),
  }
}

export function workersOf(plan: FarmPlan): readonly Role[] {
  const addresses = plan.metricsPorts.slice(3).map(metricsAt)
  // Divides the cores, because each worker would take all of them.
  const lanes = Math.max(1, Math.floor(countCores().cores / plan.workers))
  return Array.from({ length: plan.workers }, (_, index) => ({
    name: plan.workers === 1 ? 'worker' : `worker ${index + 1}`,
    command: 'worker',
    env: {
      FARM_LANES: String(lanes),
      ...everyone(plan),
      ...addresses[index],
      FARM_SCHEDULER_ADDRESS: `127.0.0.1:${plan.schedulerPort}`,
      FARM_NODE_TOKEN: plan.nodeToken,
      FARM_NODE_NAME: `local-${index + 1}`,
      FARM_DATA: join(plan.dataDir, 'workers', String(index + 1)),
    },
    logFile: logFile(plan, `worker-${index + 1}`),
  }))
}

function logFile({ dataDir }: FarmPlan, name: string): string {
  return join(dataDir, 'logs', `${name}.log`)
}

function metricsAt(port: number): { readonly FARM_METRICS_ADDRESS: string } {
  return { FARM_METRICS_ADDRESS: `127.0.0.1:${port}` }
}
