import type { Db } from '../database.ts'
import type { EnrolledAs } from './enrolled-nodes.ts'

/** Lets a node show a certificate from now on. */
export async function addCertificate(
  db: Db,
  certificate: {
    readonly fingerprint: string
    readonly nodeId: string
    readonly nodeName: string
    readonly tokenHash: string
    readonly expiresAt: Date
    /** Absent: it was made by hand, and binds the node to no pool. */
    readonly enrolled?: { readonly as: EnrolledAs; readonly pool: string }
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
      pool: certificate.enrolled?.pool ?? null,
      enrolled_as: certificate.enrolled?.as ?? null,
    })
    .execute()
}
