import { Command } from 'commander'

type WorkerOptions = { readonly gpus?: string; readonly envFile?: string }

export function workerCommand(): Command {
  return new Command('worker')
    .description('Work on tasks as one node (needs FARM_SCHEDULER_ADDRESS).')
    .option('--gpus <which>', 'a worker process for each GPU: all, or indexes with commas')
    .option('--env-file <path>', 'more settings of each of them; {gpu} in the path is its index')
    .action(async ({ gpus, envFile }: WorkerOptions) => {
      if (gpus !== undefined) {
        const { runGpuWorkers } = await import('../gpus/run-workers.ts')
        return await runGpuWorkers(process.env, { gpus, envFile })
      }
      const { startWorker } = await import('../../worker/main.ts')
      await startWorker(process.env)
    })
}
