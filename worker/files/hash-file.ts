import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'

const readAtOnceBytes = 1024 * 1024

/** Returns the file's sha256 as hex. */
export async function hashFile(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file, { highWaterMark: readAtOnceBytes }), hash)
  return hash.digest('hex')
}
