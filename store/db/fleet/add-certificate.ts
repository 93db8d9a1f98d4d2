import type { Db } from '../database.ts'

/** Lets a node show a certificate from now on. */
export async function addCertificate(
  db: Db,
  certificate: {
    readonly fingerprint: string
    readonly nodeId: string
    readonly nodeName: string
    readonly tokenHash: string
    readonly expiresAt: Date
  },
): Promise<void> {
  await db
    .insertInto('node_certificates')
    .values({
      fingerprint: certificate.fingerprint,
      node_id: certificate.nodeId,
      node_name: certificate.nodeName,
      token_hash: certificate.tokenHash,
      expires_at: certificate.expiresAt,
    })
    .execute()
}
