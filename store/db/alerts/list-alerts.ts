import { sql } from 'kysely'
import type { Severity } from '../../../core/alerts/findings.ts'
import type { Db } from '../database.ts'

export type AlertView = {
  readonly id: string
  readonly alert: string
  readonly severity: Severity
  readonly words: string
  readonly foundAt: Date
  readonly raisedAt: Date
  /** Null: it goes on. */
  readonly endedAt: Date | null
}

/** Lists raised alerts: those that go on, then ended ones, the latest first. */
export async function listAlerts(
  db: Db,
  { limit }: { readonly limit: number },
): Promise<readonly AlertView[]> {
  const { rows } = await sql<AlertView>`
    select id, alert, severity, words, found_at as "foundAt", raised_at as "raisedAt",
      ended_at as "endedAt"
    from alerts where raised_at is not null
    order by ended_at is not null, ended_at desc, raised_at desc, id limit ${limit}`.execute(db)
  return rows
}
