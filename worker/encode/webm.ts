import { open } from 'node:fs/promises'

/** Bytes of a WebM up to its tracks: kind, seek index, padding, description. */
const headMaxBytes = 65_536

const ids = { segment: 0x18538067, info: 0x1549a966, duration: 0x4489 } as const

/**
 * Records its duration in a WebM. ffmpeg adds up rounded milliseconds, and the priming samples of
 * the sound.
 */
export async function recordDuration(file: string, seconds: number): Promise<void> {
  const handle = await open(file, 'r+')
  try {
    const head = Buffer.alloc(headMaxBytes)
    const { bytesRead } = await handle.read(head, 0, headMaxBytes, 0)
    const all = head.subarray(0, bytesRead)
    const duration = child(child(child(all, ids.segment), ids.info), ids.duration)
    if (duration.length !== 8) {
      throw new Error(`A WebM's length must have 8 bytes. Got ${duration.length}`)
    }
    duration.writeDoubleBE(seconds * 1000)
    await handle.write(duration, 0, duration.length, duration.byteOffset - head.byteOffset)
  } finally {
    await handle.close()
  }
}

/**
 * Returns the content of the first element `id`, as far as it was read. It shares memory with
 * `bytes`.
 */
function child(bytes: Buffer, id: number): Buffer {
  let at = 0
  while (at < bytes.length) {
    const idBytes = lengthOfNumber(bytes, at)
    const sizeBytes = lengthOfNumber(bytes, at + idBytes)
    if (at + idBytes + sizeBytes > bytes.length) break
    const marked = bytes.readUIntBE(at + idBytes, Math.min(sizeBytes, 6))
    // A number of 8 bytes begins with the mark and zeros in the first two: no film has 2^48 bytes.
    const size =
      sizeBytes === 8 ? bytes.readUIntBE(at + idBytes + 2, 6) : marked % 2 ** (7 * sizeBytes)
    const content = at + idBytes + sizeBytes
    if (bytes.readUIntBE(at, idBytes) === id) return bytes.subarray(content, content + size)
    at = content + size
  }
  throw new Error(`A WebM must hold the element ${id.toString(16)} here. Got none`)
}

/**
 * Returns the bytes of an EBML number (RFC 8794, 4): its leading zero bits plus one; 1, 2, ... 8.
 */
function lengthOfNumber(bytes: Buffer, at: number): number {
  return Math.clz32(bytes[at] ?? 0) - 23
}
