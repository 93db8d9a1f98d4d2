import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** Hides bytes from whoever reads the database, with a key that only the farm's processes know. */
export type Seal = {
  close(bytes: Buffer, about: string): Buffer
  /** @throws Error when the bytes were not closed by this seal about the same thing. */
  open(sealed: Buffer, about: string): Buffer
}

const cipher = 'aes-256-gcm'
const keyBytes = 32
const nonceBytes = 12
const tagBytes = 16

/** `purpose`: seals of one secret for different purposes do not open each other's. */
export function createSeal({ secret, purpose }: { secret: string; purpose: string }): Seal {
  const key = Buffer.from(hkdfSync('sha256', secret, 'farm', purpose, keyBytes))
  return {
    close(bytes, about) {
      const nonce = randomBytes(nonceBytes)
      const closing = createCipheriv(cipher, key, nonce).setAAD(Buffer.from(about))
      const hidden = Buffer.concat([closing.update(bytes), closing.final()])
      return Buffer.concat([nonce, closing.getAuthTag(), hidden])
    },
    open(sealed, about) {
      const opening = createDecipheriv(cipher, key, sealed.subarray(0, nonceBytes))
        .setAAD(Buffer.from(about))
        .setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes))
      return Buffer.concat([
        opening.update(sealed.subarray(nonceBytes + tagBytes)),
        opening.final(),
      ])
    },
  }
}
