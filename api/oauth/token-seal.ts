import { hkdfSync } from 'node:crypto'
import { type SealKeys, seal, unseal } from '../../runtime/seal.ts'

const about = 'farm oauth token'

/**
 * Seals a text under a token, of which the database knows the hash only: neither a dump nor the
 * farm's own keys open it.
 */
export function sealUnder(token: string, text: string): string {
  return seal(keysOf(token), text, about)
}

/** @throws Error when it was sealed under another token */
export function unsealUnder(token: string, sealed: string): string {
  return unseal(keysOf(token), sealed, about)
}

function keysOf(token: string): SealKeys {
  return [{ id: 'token', key: Buffer.from(hkdfSync('sha256', token, '', about, 32)) }]
}
