import { open } from 'node:fs/promises'
import { readAt } from './sniff.ts'

const chunksMax = 100
/** Programs that stream a WAV do not know its size, and write 0 or nearly the maximum. */
const unknownSizeMin = 0x7fff_0000

/**
 * Returns the seconds of sound that the header of a RIFF file claims; 0 = unknown. The file may
 * hold less.
 */
export async function wavSeconds(file: string): Promise<number> {
  const handle = await open(file)
  try {
    let bytesASecond = 0
    let at = 12
    for (let chunks = 0; chunks < chunksMax; chunks += 1) {
      const head = await readAt(handle, { position: at, length: 24 })
      if (head.length < 8) return 0
      const name = head.toString('latin1', 0, 4)
      const size = head.readUInt32LE(4)
      if (name === 'fmt ' && head.length >= 20) bytesASecond = head.readUInt32LE(16)
      if (name === 'data') {
        return size < unknownSizeMin && bytesASecond > 0 ? size / bytesASecond : 0
      }
      at += 8 + size + (size % 2)
    }
    return 0
  } finally {
    await handle.close()
  }
}
