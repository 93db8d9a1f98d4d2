import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import type { Env } from '../../runtime/env.ts'
import type { Gpu } from '../../worker/agent/gpus.ts'
import { readConfig, type WorkerConfig } from '../../worker/config.ts'
import { Failure, usage } from '../failure.ts'

/** A worker process to run, for one device. */
export type GpuWorker = {
  readonly gpu: Gpu
  readonly env: Env
  readonly config: WorkerConfig
}

/** Placeholder in the path of settings: the index of the GPU, as nvidia-smi numbers it. */
const placeholder = '{gpu}'

/**
 * Builds the settings of a worker for each of these GPUs: this process's own, with a device, a
 * folder, a name and addresses for each, and a share of the machine. `settings` names files for
 * single workers, `{gpu}` in its path is the index: certificate and token (farm certs node).
 * @throws EnvError for false settings, before anything is started; Failure for a file that is not
 * there
 */
export function settingsOfWorkers(
  env: Env,
  { gpus, settings }: { gpus: readonly Gpu[]; settings?: string | undefined },
): readonly GpuWorker[] {
  if (settings !== undefined && !settings.includes(placeholder)) {
    throw usage(`--settings must have ${placeholder} in its path. Got ${settings}`)
  }
  const shared = readConfig(env)
  return gpus.map((gpu) => {
    const { index, uuid } = gpu
    const own: Env = {
      ...env,
      FARM_GPU: uuid,
      FARM_PROCESSES: String(gpus.length),
      FARM_DATA: join(shared.dataDir, `gpu-${index}`),
      FARM_NODE_NAME: `${env.FARM_NODE_NAME || hostname()}-gpu${index}`,
      FARM_METRICS_ADDRESS: addressOf(shared.metricsAddress, index),
      ...(shared.healthAddress && { FARM_HEALTH_ADDRESS: addressOf(shared.healthAddress, index) }),
      ...(settings !== undefined && readSettings(settings.replaceAll(placeholder, String(index)))),
    }
    return { gpu, env: own, config: readConfig(own) }
  })
}

/** Adds the index to the given port; port 0 stays, for any free one. */
function addressOf({ host, port }: WorkerConfig['metricsAddress'], index: number): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port === 0 ? 0 : port + index}`
}

function readSettings(file: string): Env {
  try {
    return parseEnv(readFileSync(file, 'utf8'))
  } catch (cause) {
    if (!(cause instanceof Error)) throw cause
    throw new Failure(`--settings must name a file for each GPU. Got ${file}: ${cause.message}`, {
      cause,
    })
  }
}
