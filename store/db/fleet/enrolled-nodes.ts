import { sql } from 'kysely'
import type { Db } from '../database.ts'

export type EnrolledAs = 'pod' | 'machine'

/** How a node with a valid certificate enrolled; undefined: its certificates were made by hand. */
export async function findEnrolment(
  db: Db,
  nodeId: string,
): Promise<{ readonly pool: string; readonly as: EnrolledAs; readonly name: string } | undefined> {
  const { rows } = await sql<{ pool: string; as: EnrolledAs; name: string }>`
    select pool, enrolled_as as "as", node_name as name from node_certificates
    where node_id = ${nodeId} and enrolled_as is not null and revoked_at is null
      and expires_at > now()
    order by issued_at desc limit 1`.execute(db)
  return rows[0]
}

/**
 * Returns the pool that binds a node, undefined where none does. A revoked or expired certificate binds,
 * too: schedulers admit by it for a moment longer.
 */
export async function findBoundPool(db: Db, nodeId: string): Promise<string | undefined> {
  const { rows } = await sql<{ pool: string }>`
    select pool from node_certificates where node_id = ${nodeId} and enrolled_as is not null
    order by issued_at desc limit 1`.execute(db)
  return rows[0]?.pool
}

/** Counts the certificates that a node got within the last hour. */
export async function countRecentCertificates(db: Db, nodeId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from node_certificates
    where node_id = ${nodeId} and issued_at > now() - interval '1 hour'`.execute(db)
  return rows[0]?.count ?? 0
}

/** Answers whether a certificate of the node was revoked: a pod of this uid stays out. */
export async function isRevoked(db: Db, nodeId: string): Promise<boolean> {
  const { rows } = await sql`
    select from node_certificates where node_id = ${nodeId} and revoked_at is not null
    limit 1`.execute(db)
  return rows.length > 0
}

/**
 * Forgets certificates of enrolled nodes a day after they expired. Revoked ones stay, for they keep a pod
 * out that still runs. Answers how many there were.
 */
export async function forgetCertificates(db: Db, { limit }: { limit: number }): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from node_certificates where fingerprint in (
      select fingerprint from node_certificates
      where enrolled_as is not null and revoked_at is null
        and expires_at < now() - interval '1 day' limit ${limit}
    )`.execute(db)
  return Number(numAffectedRows ?? 0)
}
