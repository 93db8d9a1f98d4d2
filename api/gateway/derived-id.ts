import { sha256 } from '../../runtime/sha256.ts'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const idLength = 20

/** Derives twenty letters or digits from a seed: 119 bits of its hash. */
export function derivedId(seed: string): string {
  const base = BigInt(alphabet.length)
  let rest = BigInt(`0x${sha256(seed)}`)
  let id = ''
  while (id.length < idLength) {
    id += alphabet[Number(rest % base)]
    rest /= base
  }
  return id
}
