import { Command } from 'commander'

export function migrateCommand(): Command {
  return new Command('migrate')
    .description(
      'Migrate the database to the newest schema (needs DATABASE_URL). Each migration says whether roles of the release before can stay.',
    )
    .option('--plan', 'list what would run, and run nothing')
    .action(async ({ plan = false }: { plan?: boolean }) => {
      const { migrateDatabase } = await import('../farm/migrate-database.ts')
      const { readDatabaseUrl } = await import('../../store/db/database-url.ts')
      const url = readDatabaseUrl(process.env)
      await migrateDatabase(url, { isPlan: plan, say: (line) => console.log(line) })
    })
}
