import { open } from 'node:fs/promises'
import { readAt } from '../../runtime/media/sniff.ts'

const chunksMax = 100
/** Programs that stream a WAV do not know its size, and write 0 or nearly the maximum. */
const unknownSizeMin = 0x7fff_0000
/** Formats with a block for each moment: PCM, float, A-law, mu-law, and any of them extended. */
const plainFormats: ReadonlySet<number> = new Set([1, 3, 6, 7, 0xfffe])

/** ADPCM of Microsoft and of IMA: a block is as many samples as its header says. */
const blockFormats: ReadonlySet<number> = new Set([2, 0x11])

export type WavLength = {
  /** Seconds of sound that the header claims; 0 = unknown. The file may hold less. */
  readonly seconds: number
  /** Counted in blocks: ffprobe trusts the byte rate, which may be wrong. */
  readonly isCounted: boolean
}

const unknown: WavLength = { seconds: 0, isCounted: false }

/** Reads the length of a RIFF file from its header. */
export async function readWavLength(file: string): Promise<WavLength> {
  const handle = await open(file)
  try {
    const { size: fileBytes } = await handle.stat()
    let bytesASecond = 0
    let isCounted = false
    let at = 12
    for (let chunks = 0; chunks < chunksMax; chunks += 1) {
      const head = await readAt(handle, { position: at, length: 28 })
      if (head.length < 8) return unknown
      const name = head.toString('latin1', 0, 4)
      const size = head.readUInt32LE(4)
      if (name === 'fmt ' && head.length >= 22) {
        const counted = countedBytesASecond(head)
        isCounted = counted > 0
        bytesASecond = isCounted ? counted : head.readUInt32LE(16)
      }
      if (name === 'data') {
        if (bytesASecond === 0) return unknown
        if (size > 0 && size < unknownSizeMin) return { seconds: size / bytesASecond, isCounted }
        return isCounted ? { seconds: (fileBytes - at - 8) / bytesASecond, isCounted } : unknown
      }
      at += 8 + size + (size % 2)
    }
    return unknown
  } finally {
    await handle.close()
  }
}

/** Counts from sample rate and block size; 0 = the format has no such blocks. */
function countedBytesASecond(chunk: Buffer): number {
  const format = chunk.readUInt16LE(8)
  const blocks = chunk.readUInt32LE(12) * chunk.readUInt16LE(20)
  if (plainFormats.has(format)) return blocks
  if (!blockFormats.has(format) || chunk.length < 28) return 0
  return blocks / Math.max(1, chunk.readUInt16LE(26))
}
