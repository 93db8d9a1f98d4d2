import { promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'
import { type SealedBytes, type SealKeys, sealBytes, unsealBytes } from '../../runtime/seal.ts'
import { jsonb } from './jsonb.ts'

/** JSON that a dump of the database must not show: packed, then sealed. */

const [pack, unpack] = [promisify(deflateRaw), promisify(inflateRaw)]
/** Sealed bytes cannot be compressed by Postgres, and the first level takes most of it. */
const level = 1

/** A row's JSON: sealed, or in clear where an older version wrote it. */
export type StoredJson<T> = {
  readonly sealed: Buffer | null
  readonly sealKey: string | null
  readonly plain: T | null
}

/**
 * Seals a value for its row. `about`: the row; it opens for no other.
 * @throws FarmError invalid_request like `jsonb`
 */
export async function sealJson(
  keys: SealKeys,
  value: unknown,
  about: string,
): Promise<SealedBytes> {
  return sealBytes(keys, await pack(jsonb(value), { level }), about)
}

/** Opens the JSON of a row. @throws Error when its key is gone */
export async function openJson<T>(
  keys: SealKeys,
  { sealed, sealKey: keyId, plain }: StoredJson<T>,
  about: string,
): Promise<T> {
  if (sealed === null || keyId === null) return plain as T
  const packed = unsealBytes(keys, { keyId, sealed }, about)
  return JSON.parse((await unpack(packed)).toString()) as T
}
