import { type FileHandle, open } from 'node:fs/promises'
import type { Size } from '../../core/timeline/rect.ts'
import { type ImageFormat, readAt } from '../../runtime/media/sniff.ts'
import { boxes } from '../../runtime/mp4/boxes.ts'
import { stillOfGif } from './mend-gif.ts'

/**
 * Limit of a JPEG's segments before its frame header, and of an AVIF's boxes. More is an attack.
 */
const stepsMax = 4_096
const avifMetaMaxBytes = 2 ** 20

/**
 * Returns the size that a picture's header claims, px, before rotation; undefined if there is none.
 * A GIF's is the size that browsers show. It reads few bytes and decodes nothing, so a bomb costs
 * nothing here.
 */
export async function readPictureSize(
  file: string,
  format: ImageFormat,
): Promise<Size | undefined> {
  const handle = await open(file)
  try {
    return await readers[format](handle)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  } finally {
    await handle.close()
  }
}

const readers: Record<ImageFormat, (handle: FileHandle) => Promise<Size | undefined>> = {
  png: async (handle) => {
    const head = await readAt(handle, { position: 0, length: 24 })
    if (head.toString('latin1', 12, 16) !== 'IHDR') return undefined
    return { width: head.readUInt32BE(16), height: head.readUInt32BE(20) }
  },
  gif: async (handle) => {
    const { size: length } = await handle.stat()
    const screen = stillOfGif(await readAt(handle, { position: 0, length }))?.screen
    return screen && { width: screen[0], height: screen[1] }
  },
  jpeg: readJpegSize,
  webp: readWebpSize,
  avif: readAvifSize,
}

/** Walks the marker segments (ITU T.81 B.1) to the frame header SOFn. */
async function readJpegSize(handle: FileHandle): Promise<Size | undefined> {
  let position = 2
  for (let step = 0; step < stepsMax; step += 1) {
    const head = await readAt(handle, { position, length: 9 })
    if (head.readUInt8(0) !== 0xff) return undefined
    const marker = head.readUInt8(1)
    if (marker === 0xff) {
      position += 1
      continue
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return { width: head.readUInt16BE(7), height: head.readUInt16BE(5) }
    position += 2 + head.readUInt16BE(2)
  }
  return undefined
}

/** Reads the first chunk, which has the size in one of three forms (RFC 9649). */
async function readWebpSize(handle: FileHandle): Promise<Size | undefined> {
  const head = await readAt(handle, { position: 0, length: 30 })
  const chunk = head.toString('latin1', 12, 16)
  if (chunk === 'VP8X') {
    return { width: 1 + head.readUIntLE(24, 3), height: 1 + head.readUIntLE(27, 3) }
  }
  if (chunk === 'VP8 ') {
    return { width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff }
  }
  if (chunk === 'VP8L') {
    const bits = head.readUInt32LE(21)
    return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) }
  }
  return undefined
}

/**
 * Returns the largest `ispe` property of meta/iprp/ipco (ISO 23008-12); tiles and alpha have their
 * own.
 */
async function readAvifSize(handle: FileHandle): Promise<Size | undefined> {
  let position = 0
  for (let step = 0; step < stepsMax; step += 1) {
    const head = await readAt(handle, { position, length: 8 })
    const size = head.readUInt32BE(0)
    if (head.toString('latin1', 4, 8) === 'meta') {
      const length = Math.min(size, avifMetaMaxBytes)
      const meta = await readAt(handle, { position, length })
      const properties = box(box(meta.subarray(12), 'iprp'), 'ipco')
      return largestExtent(properties)
    }
    if (size < 8) return undefined
    position += size
  }
  return undefined
}

function box(bytes: Buffer, name: string): Buffer {
  for (const each of boxes(bytes)) if (each.name === name) return each.content
  return Buffer.alloc(0)
}

function largestExtent(properties: Buffer): Size | undefined {
  const sizes = [...boxes(properties)]
    .filter(({ name }) => name === 'ispe')
    .map(({ content }) => ({ width: content.readUInt32BE(4), height: content.readUInt32BE(8) }))
  if (sizes.length === 0) return undefined
  return {
    width: Math.max(...sizes.map(({ width }) => width)),
    height: Math.max(...sizes.map(({ height }) => height)),
  }
}
