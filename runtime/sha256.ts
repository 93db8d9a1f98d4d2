import { createHash } from 'node:crypto'

/** Hex, lower case. */
export function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex')
}

export function sha256Bytes(data: string | Uint8Array): Buffer {
  return createHash('sha256').update(data).digest()
}
