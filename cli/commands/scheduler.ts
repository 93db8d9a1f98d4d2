import { Command } from 'commander'

export function schedulerCommand(): Command {
  return new Command('scheduler')
    .description('Hand out tasks to worker nodes over gRPC (needs DATABASE_URL, FARM_OBJECTS).')
    .action(async () => {
      const { startScheduler } = await import('../../scheduler/main.ts')
      await startScheduler(process.env)
    })
}
