import { sql } from 'kysely'
import type { Db } from '../database.ts'
import type { OAuthTokenKind } from '../schema.ts'

export type StoredToken = {
  readonly payload: string
  /** Sealed under the token; null: it has none. */
  readonly successor: string | null
  readonly consumedAt: Date | null
  /** Seconds since its use by the database's clock; null: it is unused. */
  readonly consumedFor: number | null
  /** Null: it is an interaction, which precedes any grant. */
  readonly clientId: string | null
}

type Wanted = { readonly sha256: Buffer; readonly kind: OAuthTokenKind }

/** Finds a token, expired or used ones included, unless its grant has ended. */
export async function findOAuthToken(db: Db, wanted: Wanted): Promise<StoredToken | undefined> {
  const { rows } = await select(wanted, false).execute(db)
  return rows[0]
}

/** Finds a token and locks it until the transaction ends: uses of it wait for each other. */
export async function lockOAuthToken(db: Db, wanted: Wanted): Promise<StoredToken | undefined> {
  const { rows } = await select(wanted, true).execute(db)
  return rows[0]
}

function select({ sha256, kind }: Wanted, isLocked: boolean) {
  return sql<StoredToken>`
    select t.payload, t.successor, t.consumed_at as "consumedAt",
      extract(epoch from clock_timestamp() - t.consumed_at)::float8 as "consumedFor",
      g.client_id as "clientId"
    from oauth_tokens t left join agent_grants g on g.id = t.grant_id
    where t.sha256 = ${sha256} and t.kind = ${kind} and g.revoked_at is null
    ${isLocked ? sql`for update of t` : sql``}`
}
