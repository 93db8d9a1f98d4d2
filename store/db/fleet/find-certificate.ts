import { sql } from 'kysely'
import type { Db } from '../database.ts'

export type KnownCertificate = {
  readonly nodeId: string
  readonly tokenHash: string
  readonly status: 'valid' | 'expired' | 'revoked'
}

/** Finds a certificate; undefined when the farm never made it. */
export async function findCertificate(
  db: Db,
  fingerprint: string,
): Promise<KnownCertificate | undefined> {
  return await db
    .selectFrom('node_certificates')
    .select([
      'node_id as nodeId',
      'token_hash as tokenHash',
      sql<KnownCertificate['status']>`case when revoked_at is not null then 'revoked'
        when expires_at <= now() then 'expired' else 'valid' end`.as('status'),
    ])
    .where('fingerprint', '=', fingerprint)
    .executeTakeFirst()
}
