import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { jsonb } from '../jsonb.ts'

export const maxClients = 5_000
export const maxRegistrationsAnHour = 20
/** A client without any grant ends after this; one whose grants have all ended, after 90 days. */
const unusedHours = 24
const idleDays = 90

export type NewOAuthClient = {
  readonly idSha256: Buffer
  readonly metadata: Record<string, unknown>
  readonly secret: string | null
  /** Address that registers it. */
  readonly from: string
}

/** `too-often`: the address has used its registrations of the hour. `full`: all places are taken. */
export type Registered =
  | { readonly outcome: 'registered' }
  | { readonly outcome: 'too-often'; readonly secondsLeft: number }
  | { readonly outcome: 'full' }

/**
 * Registers a client, one at a time over all replicas, so that the limits hold exactly. Clients
 * whose time is over make room first.
 */
export async function registerOAuthClient(db: Db, client: NewOAuthClient): Promise<Registered> {
  return await db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtext('oauth_clients'))`.execute(tx)
    await forgetOAuthClients(tx)
    const { rows } = await sql<{ all: number; recent: number; secondsLeft: number | null }>`
      select count(*) as all, count(*) filter (where is_recent) as recent,
        extract(epoch from min(created_at) filter (where is_recent)
          + interval '1 hour' - now())::float8 as "secondsLeft"
      from (
        select created_at,
          created_from = ${client.from} and created_at > now() - interval '1 hour' as is_recent
        from oauth_clients
      ) as client`.execute(tx)
    const [taken] = rows
    if (!taken) throw new Error('A count answers one row')
    if (taken.recent >= maxRegistrationsAnHour) {
      return { outcome: 'too-often', secondsLeft: Math.max(1, Math.ceil(taken.secondsLeft ?? 1)) }
    }
    if (taken.all >= maxClients) return { outcome: 'full' }
    await sql`
      insert into oauth_clients (id_sha256, metadata, secret, created_from)
      values (${client.idSha256}, ${jsonb(client.metadata)}, ${client.secret}, ${client.from})`.execute(
      tx,
    )
    return { outcome: 'registered' }
  })
}

/** Removes clients that nobody uses. @returns how many */
export async function forgetOAuthClients(db: Db): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from oauth_clients c
    where coalesce(c.last_used_at < now() - make_interval(days => ${idleDays}),
        c.created_at < now() - make_interval(hours => ${unusedHours}))
      and not exists (
        select from agent_grants g
        where sha256(convert_to(g.client_id, 'UTF8')) = c.id_sha256 and g.revoked_at is null
          and g.expires_at > now() - make_interval(days => ${idleDays})
      )`.execute(db)
  return Number(numAffectedRows ?? 0n)
}
