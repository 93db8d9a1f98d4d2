import { sql } from 'kysely'
import type { Gateway } from './gateway.ts'

/** Runs requests within one minute of the database; repeats them when the minute ends meanwhile. */
export async function withinMinute<T>(
  { db }: Pick<Gateway, 'db'>,
  ask: () => Promise<T>,
): Promise<T> {
  const minute = async () => {
    const now = await sql<{ minute: string }>`
      select date_trunc('minute', clock_timestamp())::text as minute`.execute(db)
    return now.rows[0]?.minute
  }
  for (;;) {
    const began = await minute()
    const answers = await ask()
    if ((await minute()) === began) return answers
  }
}
