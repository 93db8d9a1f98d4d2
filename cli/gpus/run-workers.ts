import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Running, startProcess } from '../../infra/local/processes.ts'
import { stopOnSignal } from '../../runtime/lifecycle.ts'
import { createLog, type Log } from '../../runtime/log.ts'
import { graceMsOf } from '../../worker/config.ts'
import { chooseGpus } from './choose.ts'
import { type GpuWorker, settingsOfWorkers } from './settings.ts'

const main = join(import.meta.dirname, '..', 'main.ts')
const firstPauseMs = 1_000
const longestPauseMs = 60_000
/** Time for a worker that is past its own grace to be killed. */
const insistMs = 5_000
/** A worker that ran this long did not end for the same reason as before. */
const steadyMs = 60_000

/**
 * `farm worker --gpus WHICH`: runs a worker process for each GPU until this one is stopped; then
 * all of them drain. One that ends by itself is restarted without limit, with growing pauses, while
 * the other GPUs go on. The workers' logs are passed on.
 * @throws EnvError, Failure before anything is started
 */
export async function runGpuWorkers(
  env: NodeJS.ProcessEnv,
  { gpus: named, settings }: { gpus: string; settings?: string | undefined },
): Promise<void> {
  const log = createLog('gpus')
  const gpus = await chooseGpus(named)
  const stopping = new AbortController()
  const workers = settingsOfWorkers(env, { gpus, settings })
  const kept = workers.map((worker) => keepWorker(worker, { log, signal: stopping.signal }))
  const stop = async () => {
    stopping.abort()
    await Promise.all(kept)
  }
  const longest = Math.max(...workers.map(({ config }) => graceMsOf(config)))
  stopOnSignal({ log, stops: [stop], graceMs: longest + insistMs })
}

/** Resolves when it has ended after the signal. */
async function keepWorker(
  worker: GpuWorker,
  { log, signal }: { log: Log; signal: AbortSignal },
): Promise<void> {
  const { index: gpu, name } = worker.gpu
  for (let failures = 0; !signal.aborted; ) {
    const began = performance.now()
    const how = await runOnce(worker, { signal, log }).catch((error: unknown) => ({ err: error }))
    if (signal.aborted) return
    failures = performance.now() - began < steadyMs ? failures + 1 : 1
    const pauseMs = Math.min(firstPauseMs * 2 ** (failures - 1), longestPauseMs)
    log.error({ gpu, name, ...how, pauseMs }, 'the worker of a GPU ended; it is started again')
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined)
  }
}

/** Runs it to its end, which comes soon after the signal. */
async function runOnce(
  { gpu, env, config }: GpuWorker,
  { signal, log }: { signal: AbortSignal; log: Log },
): Promise<object> {
  mkdirSync(config.dataDir, { recursive: true })
  const running: Running = await startProcess({
    name: `worker of GPU ${gpu.index}`,
    command: process.execPath,
    args: [main, 'worker'],
    env,
    logFile: join(config.dataDir, 'stdout.log'),
    graceMs: graceMsOf(config),
    onLine: (line) => process.stderr.write(`${line}\n`),
  })
  log.info({ gpu: gpu.index, name: gpu.name, pid: running.pid }, 'the worker of a GPU is started')
  const stop = () => void running.stop()
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  const exit = await running.exited
  signal.removeEventListener('abort', stop)
  return exit
}
