import { createHash } from 'node:crypto'

/** Returns lower-case hex. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
