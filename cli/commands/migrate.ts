import { Command } from 'commander'

export function migrateCommand(): Command {
  return new Command('migrate')
    .description('Migrate the database to the newest schema (needs DATABASE_URL).')
    .action(async () => {
      const { migrateDatabase } = await import('../farm/migrate-database.ts')
      const { readDatabaseUrl } = await import('../../store/db/database-url.ts')
      const names = await migrateDatabase(readDatabaseUrl(process.env))
      for (const name of names) console.log(`ran ${name}`)
      if (names.length === 0) console.log('nothing to do, the schema is the newest')
    })
}
