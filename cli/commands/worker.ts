import { Command } from 'commander'
import { usage } from '../failure.ts'
import { type LateSettings, roleSettings, takesLateSettings } from '../farm/late-settings.ts'

type WorkerOptions = LateSettings & { readonly gpus?: string; readonly settings?: string }

export function workerCommand(): Command {
  return takesLateSettings(new Command('worker'))
    .description('Work on tasks as one node (needs FARM_SCHEDULER_ADDRESS).')
    .option(
      '--gpus <which>',
      'start a worker process for each GPU: all, or indexes separated by commas',
    )
    .option(
      '--settings <path>',
      'settings file of each worker; {gpu} in the path stands for the index of its GPU',
    )
    .action(async ({ gpus, settings, ...late }: WorkerOptions) => {
      if (gpus !== undefined) {
        const { runGpuWorkers } = await import('../gpus/run-workers.ts')
        return await runGpuWorkers(process.env, { gpus, settings })
      }
      if (settings !== undefined) throw usage('--settings needs --gpus. Got none')
      const { startWorker } = await import('../../worker/main.ts')
      await startWorker(await roleSettings(late))
    })
}
