import { sql } from 'kysely'
import type { Db } from '../database.ts'

export type KeyRequests = { readonly date: string; readonly requests: number }

/** Requests of each key on the last `days` days (UTC), newest first. Days without use are left out. */
export async function listKeyDays(
  db: Db,
  { accountId, keyIds, days }: { accountId: string; keyIds: readonly string[]; days: number },
): Promise<ReadonlyMap<string, KeyRequests[]>> {
  const { rows } = await sql<KeyRequests & { keyId: string }>`
    select key_id as "keyId", to_char(day, 'YYYY-MM-DD') as date, requests
    from api_key_usage
    where key_id = any(${keyIds}::uuid[]) and account_id = ${accountId}
      and day >= (now() at time zone 'UTC')::date - ${days - 1}::integer
    order by day desc`.execute(db)
  const found = new Map<string, KeyRequests[]>()
  for (const { keyId, date, requests } of rows) {
    const of = found.get(keyId)
    if (of) of.push({ date, requests })
    else found.set(keyId, [{ date, requests }])
  }
  return found
}
