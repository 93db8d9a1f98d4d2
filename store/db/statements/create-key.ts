import { createHash, randomBytes } from 'node:crypto'
import type { Db } from '../database.ts'

const keyBytes = 32
/** Enough to tell keys apart in a list, useless for guessing one. */
const prefixLength = 12

/** A new API key. The key itself is only in this answer; the table holds its sha256. */
export async function createKey(
  db: Db,
  { accountId, name }: { accountId: string; name: string },
): Promise<{ readonly id: string; readonly key: string; readonly prefix: string }> {
  const key = `svc_${randomBytes(keyBytes).toString('hex')}`
  const prefix = key.slice(0, prefixLength)
  const { id } = await db
    .insertInto('api_keys')
    .values({ account_id: accountId, name, sha256: hashKey(key), prefix })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { id, key, prefix }
}

/**
 * What the table holds of a key. A plain hash is right here: a key is 256 random bits, so there is
 * nothing to guess that a slow hash would protect.
 */
export function hashKey(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}
