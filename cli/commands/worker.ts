import { Command } from 'commander'

export function workerCommand(): Command {
  return new Command('worker')
    .description('Work on tasks as one node (needs FARM_SCHEDULER_ADDRESS).')
    .action(async () => {
      const { startWorker } = await import('../../worker/main.ts')
      await startWorker(process.env)
    })
}
