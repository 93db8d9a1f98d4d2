import { Command } from 'commander'
import { type LateSettings, roleSettings, takesLateSettings } from '../farm/late-settings.ts'

export function apiCommand(): Command {
  return takesLateSettings(new Command('api'))
    .description('Serve the HTTP API (needs DATABASE_URL, TEMPORAL_ADDRESS, FARM_OBJECTS).')
    .action(async (options: LateSettings) => {
      const { startApi } = await import('../../api/main.ts')
      await startApi(await roleSettings(options))
    })
}
