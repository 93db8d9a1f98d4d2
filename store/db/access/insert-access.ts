import { sql } from 'kysely'
import pg from 'pg'
import type { Db } from '../database.ts'

/** A request that was answered, or whose caller hung up. Without secrets: no query, body or header. */
export type AccessRecord = {
  /** End of the answer, ISO 8601. */
  readonly at: string
  readonly requestId: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly ms: number
  readonly bytes: number
  /** Address of the caller; null: unknown. */
  readonly remote: string | null
  readonly account: string | null
  /** Its visible prefix, also of a refused one. */
  readonly key: string | null
  readonly userId: string | null
  readonly agentId: string | null
  readonly operatorId: string | null
  /** Tool that an agent called. */
  readonly tool: string | null
  /** Id of the job or bulk that it made. */
  readonly made: string | null
  readonly aborted: boolean
}

/** Postgres found no partition for a row. */
const noPartition = '23514'

/** Adds records in one statement. The first ones of a day (UTC) create its partition. */
export async function insertAccess(db: Db, records: readonly AccessRecord[]): Promise<void> {
  try {
    await insert(db, records)
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.code !== noPartition) throw error
    const days = new Set(records.map(({ at }) => at.slice(0, 'YYYY-MM-DD'.length)))
    for (const day of days) await sql`select add_access_day(${day}::date)`.execute(db)
    await insert(db, records)
  }
}

/** One JSON text costs the event loop less than an array for each column. */
async function insert(db: Db, records: readonly AccessRecord[]): Promise<void> {
  await sql`
    insert into access_log (at, request_id, method, path, status, ms, bytes, remote, account,
      key_prefix, user_id, agent_id, operator_id, tool, made, aborted)
    select at, "requestId", method, path, status, ms, bytes, remote, account,
      key, "userId", "agentId", "operatorId", tool, made, aborted
    from json_to_recordset(${JSON.stringify(records)}::json) as r (
      at timestamptz, "requestId" text, method text, path text, status int, ms real, bytes bigint,
      remote inet, account uuid, key text, "userId" uuid, "agentId" uuid, "operatorId" uuid,
      tool text, made text, aborted boolean
    )`.execute(db)
}
