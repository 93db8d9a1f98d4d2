import { sql } from 'kysely'
import type { Db } from '../database.ts'
import type { KnownCertificate } from './find-certificate.ts'

export type CertificateView = {
  readonly fingerprint: string
  readonly nodeId: string
  readonly nodeName: string
  readonly status: KnownCertificate['status']
  readonly issuedAt: Date
  readonly expiresAt: Date
  readonly revokedAt: Date | null
  readonly revokedWhy: string | null
}

/**
 * Lists the certificates of every node, newest first. Expired ones of nodes that enrolled are left out:
 * an autoscaled fleet has thousands a day.
 */
export async function listCertificates(db: Db): Promise<readonly CertificateView[]> {
  return await db
    .selectFrom('node_certificates')
    .select([
      'fingerprint',
      'node_id as nodeId',
      'node_name as nodeName',
      sql<CertificateView['status']>`case when revoked_at is not null then 'revoked'
        when expires_at <= now() then 'expired' else 'valid' end`.as('status'),
      'issued_at as issuedAt',
      'expires_at as expiresAt',
      'revoked_at as revokedAt',
      'revoked_why as revokedWhy',
    ])
    .where(
      sql<boolean>`not (enrolled_as is not null and revoked_at is null and expires_at <= now())`,
    )
    .orderBy('issued_at', 'desc')
    .execute()
}
