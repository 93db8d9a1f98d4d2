import { Command } from 'commander'

export function apiCommand(): Command {
  return new Command('api')
    .description('Serve the HTTP API (needs DATABASE_URL, TEMPORAL_ADDRESS, FARM_OBJECTS).')
    .action(async () => {
      const { startApi } = await import('../../api/main.ts')
      await startApi(process.env)
    })
}
