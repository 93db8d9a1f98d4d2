import { createLog } from '../../runtime/log.ts'
import { openDatabase } from '../../store/db/database.ts'
import { migrate, pendingMigrations } from '../../store/db/migrate.ts'
import { kindOfMigration } from '../../store/db/migration-kinds.ts'

/**
 * Runs the missing migrations. `say` gets a line for each before it runs, with its kind, and one for each that
 * ran. `isPlan`: none is run.
 */
export async function migrateDatabase(
  url: string,
  { isPlan, say }: { readonly isPlan: boolean; readonly say: (line: string) => void },
): Promise<void> {
  const db = openDatabase({ url, log: createLog('migrate'), connections: 1 })
  try {
    const pending = await pendingMigrations(db)
    for (const name of pending) say(`comes ${name}: ${kindOfMigration(name)}`)
    if (pending.length > 0) say(advice(pending))
    const ran = isPlan ? [] : await migrate(db)
    for (const name of ran) say(`ran ${name}`)
    if (pending.length === 0 && ran.length === 0) say('nothing to do, the schema is the newest')
  } finally {
    await db.destroy()
  }
}

function advice(pending: readonly string[]): string {
  return pending.every((name) => kindOfMigration(name) === 'additive')
    ? 'roles of the release before may go on meanwhile'
    : 'roles of the release before must be stopped before this runs, unless the database is new'
}
