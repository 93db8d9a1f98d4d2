import { sql } from 'kysely'
import type { Db } from '../database.ts'

const lock = sql`hashtext('node_certificates')`

/** Holds revocations back until the transaction ends: a certificate that it makes is seen by the next one. */
export async function shareCertificates(tx: Db): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(${lock})`.execute(tx)
}

/** Waits for certificates that are being made, and holds others back until the transaction ends. */
export async function lockCertificates(tx: Db): Promise<void> {
  await sql`select pg_advisory_xact_lock(${lock})`.execute(tx)
}
