import { answerAsked, wholeMemory } from '../process/side-thread.ts'
import type { PngRequest } from './pngs.ts'
import { PngWriter } from './writer.ts'

/** Cache of recent stills: two of 1080p. */
const cacheMaxBytes = 16 * 2 ** 20
const writer = new PngWriter({ cacheMaxBytes })

/** Thread of pngs.ts: writes PNGs. */
answerAsked(({ picture, accountId }: PngRequest) => {
  const { buffer, byteOffset, byteLength } = picture.pixels
  const pixels = Buffer.from(buffer, byteOffset, byteLength)
  return writer.write({ ...picture, pixels }, accountId)
}, wholeMemory)
