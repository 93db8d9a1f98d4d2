import { createLog } from '../../runtime/log.ts'
import { openDatabase } from '../../store/db/database.ts'
import { migrate } from '../../store/db/migrate.ts'

/** Runs the missing migrations and returns their names. */
export async function migrateDatabase(url: string): Promise<readonly string[]> {
  const db = openDatabase({ url, log: createLog('migrate'), connections: 1 })
  try {
    return await migrate(db)
  } finally {
    await db.destroy()
  }
}
