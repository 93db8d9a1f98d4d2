import { Command } from 'commander'
import { type LateSettings, roleSettings, takesLateSettings } from '../farm/late-settings.ts'

export function schedulerCommand(): Command {
  return takesLateSettings(new Command('scheduler'))
    .description('Hand out tasks to worker nodes over gRPC (needs DATABASE_URL, FARM_OBJECTS).')
    .action(async (options: LateSettings) => {
      const { startScheduler } = await import('../../scheduler/main.ts')
      await startScheduler(await roleSettings(options))
    })
}
