import { Command } from 'commander'

export function migrateCommand(): Command {
  return new Command('migrate')
    .description('Migrate the database to the newest schema (needs DATABASE_URL).')
    .action(async () => {
      const { migrateDatabase } = await import('../farm/migrate-database.ts')
      const { readText } = await import('../../runtime/env.ts')
      const names = await migrateDatabase(
        readText(process.env, 'DATABASE_URL', 'the URL of a Postgres database'),
      )
      for (const name of names) console.log(`ran ${name}`)
      if (names.length === 0) console.log('nothing to do, the schema is the newest')
    })
}
