import { sql } from 'kysely'
import type { Db } from '../database.ts'

export type InvitationView = {
  readonly id: string
  readonly pool: string
  readonly uses: number
  readonly used: number
  readonly madeBy: string
  readonly expiresAt: Date
  readonly status: 'open' | 'used up' | 'expired' | 'ended'
}

const status = sql<InvitationView['status']>`case when ended_at is not null then 'ended'
  when expires_at <= now() then 'expired' when used >= uses then 'used up' else 'open' end`

/** Lets machines enrol into a pool by a token, of which only the hash is kept. @returns its id */
export async function addInvitation(
  db: Db,
  invitation: {
    readonly tokenHash: string
    readonly pool: string
    readonly uses: number
    readonly seconds: number
    readonly madeBy: string
  },
): Promise<{ readonly id: string; readonly expiresAt: Date }> {
  const { tokenHash, pool, uses, seconds, madeBy } = invitation
  const { rows } = await sql<{ id: string; expiresAt: Date }>`
    insert into invitations (token_hash, pool, uses, made_by, expires_at)
    values (${tokenHash}, ${pool}, ${uses}, ${madeBy}, now() + make_interval(secs => ${seconds}))
    returning id, expires_at as "expiresAt"`.execute(db)
  const [row] = rows
  if (row === undefined) throw new Error('An inserted row must be answered.')
  return row
}

/** Lists invitations, newest first. */
export async function listInvitations(db: Db): Promise<readonly InvitationView[]> {
  const { rows } = await sql<InvitationView>`
    select id, pool, uses, used, made_by as "madeBy", expires_at as "expiresAt", ${status} as status
    from invitations order by created_at desc`.execute(db)
  return rows
}

/** Ends an open invitation; nodes that used it stay. False when there is none. */
export async function endInvitation(db: Db, id: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update invitations set ended_at = now() where id = ${id} and ended_at is null`.execute(db)
  return numAffectedRows === 1n
}

/**
 * Counts one use of an invitation and answers its pool; else why it has none, undefined for a token
 * that was never given.
 */
export async function useInvitation(
  db: Db,
  tokenHash: string,
): Promise<{ readonly pool: string } | { readonly why: string } | undefined> {
  const { rows } = await sql<{ pool: string }>`
    update invitations set used = used + 1
    where token_hash = ${tokenHash} and used < uses and expires_at > now() and ended_at is null
    returning pool`.execute(db)
  if (rows[0] !== undefined) return rows[0]
  const { rows: known } = await sql<{ why: string }>`
    select ${status} as why from invitations where token_hash = ${tokenHash}`.execute(db)
  return known[0]
}

/** Forgets invitations a week after their end. Answers how many there were. */
export async function forgetInvitations(db: Db, { limit }: { limit: number }): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from invitations where id in (
      select id from invitations where expires_at < now() - interval '7 days' limit ${limit}
    )`.execute(db)
  return Number(numAffectedRows ?? 0)
}
