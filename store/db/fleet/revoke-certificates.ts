import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { lockCertificates } from './lock-certificates.ts'

/**
 * Revokes in a transaction certificates: the one with this fingerprint, or every one of the node with this id or
 * name. Answers their nodes, without those of certificates that were revoked before.
 */
export async function revokeCertificates(
  db: Db,
  { which, why }: { which: string; why: string },
): Promise<readonly string[]> {
  await lockCertificates(db)
  const { rows } = await sql<{ nodeId: string }>`
    update node_certificates set revoked_at = now(), revoked_why = ${why}
    where revoked_at is null and ${which} in (fingerprint, node_id::text, node_name)
    returning node_id as "nodeId"`.execute(db)
  return [...new Set(rows.map(({ nodeId }) => nodeId))]
}
