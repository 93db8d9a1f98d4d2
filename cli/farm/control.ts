import { startApi } from '../../api/main.ts'
import { type Env, EnvError, readList } from '../../runtime/env.ts'
import { createLog } from '../../runtime/log.ts'
import { startScheduler } from '../../scheduler/main.ts'
import { startWorkflows } from '../../workflows/main.ts'

const metrics = 'FARM_METRICS_ADDRESS'

/**
 * Runs three roles in this process, each as it is alone, with metrics at an address of its own.
 * Most of their code is the same, and is read, compiled and held once. @throws EnvError
 */
export async function startControl(env: Env): Promise<void> {
  const [api, scheduler, workflows] = envsOf(env)
  await Promise.all([startScheduler(scheduler), startApi(api), startWorkflows(workflows)])
  createLog('control').info('ready')
}

/** Environments of api, scheduler and workflows. */
function envsOf(env: Env): readonly [Env, Env, Env] {
  if (!env[metrics]) return [env, env, env]
  const [api, scheduler, workflows, ...more] = readList(env, metrics)
  if (api === undefined || scheduler === undefined || workflows === undefined || more.length > 0) {
    const rule = 'three addresses, of api, scheduler and workflows, with commas between them'
    throw new EnvError(metrics, rule, env[metrics])
  }
  const at = (address: string): Env => ({ ...env, [metrics]: address })
  return [at(api), at(scheduler), at(workflows)]
}
