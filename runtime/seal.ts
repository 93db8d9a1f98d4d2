import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { type Env, EnvError, readList } from './env.ts'

/** Secrets at rest: AES-256-GCM, each text with its own nonce and bound to its owner. */

/** The first key seals; all of them open. */
export type SealKeys = readonly { readonly id: string; readonly key: Buffer }[]

const variable = 'FARM_SEAL_KEYS'
const minSecretLength = 32
const nonceBytes = 12
const tagBytes = 16
const cipher = 'aes-256-gcm'

/**
 * FARM_SEAL_KEYS: `id:secret` list, the newest first. Without it there is one key, `farm`, derived
 * from FARM_SECRET, so that `farm:<that secret>` at the list's end still opens what it sealed.
 * @throws EnvError
 */
export function readSealKeys(env: Env, farmSecret: string): SealKeys {
  const pairs = readList(env, variable)
  if (pairs.length === 0) return [{ id: 'farm', key: keyOf(farmSecret) }]
  const keys = pairs.map((pair) => {
    const [, id, secret] = /^([a-z0-9-]{1,32}):(.+)$/.exec(pair) ?? []
    const isLong = secret !== undefined && (id === 'farm' || secret.length >= minSecretLength)
    if (id === undefined || !isLong) {
      const rule = `a comma-separated list of id:secret, each secret of at least ${minSecretLength} characters`
      throw new EnvError(variable, rule, '(another text)')
    }
    return { id, key: keyOf(secret) }
  })
  if (new Set(keys.map(({ id }) => id)).size < keys.length) {
    throw new EnvError(variable, 'a list in which every id stands once', '(one twice)')
  }
  return keys
}

/** Seals a text. `about`: its owner; it opens for no other. */
export function seal(keys: SealKeys, text: string, about: string): string {
  const { keyId, sealed } = sealBytes(keys, Buffer.from(text), about)
  return `${keyId}.${sealed.toString('base64url')}`
}

/** @throws Error when the key is gone, or the text belongs to another owner. */
export function unseal(keys: SealKeys, sealed: string, about: string): string {
  const [keyId = '', data = ''] = sealed.split('.')
  return unsealBytes(keys, { keyId, sealed: Buffer.from(data, 'base64url') }, about).toString()
}

/** Bytes that were sealed, and the id of the key that opens them. */
export type SealedBytes = { readonly keyId: string; readonly sealed: Buffer }

/** Seals bytes, like `seal`. */
export function sealBytes([first]: SealKeys, bytes: Buffer, about: string): SealedBytes {
  if (first === undefined) throw new Error('There must be a key to seal with. Got none')
  const nonce = randomBytes(nonceBytes)
  const sealing = createCipheriv(cipher, first.key, nonce).setAAD(Buffer.from(about))
  const parts = [nonce, sealing.update(bytes), sealing.final(), sealing.getAuthTag()]
  return { keyId: first.id, sealed: Buffer.concat(parts) }
}

/** Opens what `sealBytes` made. @throws Error like `unseal` */
export function unsealBytes(keys: SealKeys, { keyId, sealed }: SealedBytes, about: string): Buffer {
  const found = keys.find((each) => each.id === keyId)
  if (!found)
    throw new Error(`${variable} must have the key ${keyId}, under which a text is sealed`)
  const opening = createDecipheriv(cipher, found.key, sealed.subarray(0, nonceBytes))
    .setAAD(Buffer.from(about))
    .setAuthTag(sealed.subarray(-tagBytes))
  const text = opening.update(sealed.subarray(nonceBytes, -tagBytes))
  return Buffer.concat([text, opening.final()])
}

/** Returns a keyed digest of a text, 32 bytes: whoever lacks the keys cannot make one. */
export function tagOf([first]: SealKeys, text: string): Buffer {
  if (first === undefined) throw new Error('There must be a key to sign with. Got none')
  return createHmac('sha256', first.key).update(text).digest()
}

/** Derives a key from any text; the same text for another purpose gives another key. */
function keyOf(secret: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', 'farm seal 1', 32))
}
