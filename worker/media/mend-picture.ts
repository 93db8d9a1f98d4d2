import { crc32 } from 'node:zlib'
import { stillOfGif } from './mend-gif.ts'
import { jpegSegments } from './picture-structure.ts'

/**
 * Returns the picture with bytes fixed that decoders refuse or misread and browsers accept; none of
 * them affects a pixel. A GIF yields its first frame. Other files come back unchanged.
 */
export function mendPicture(picture: Buffer): Buffer {
  try {
    if (picture.toString('latin1', 1, 4) === 'PNG') return mendPng(picture)
    if (picture.readUInt16BE(0) === 0xffd8) return mendJpeg(picture)
    if (picture.toString('latin1', 0, 3) === 'GIF') return stillOfGif(picture)?.bytes ?? picture
    if (picture.toString('latin1', 4, 8) === 'ftyp') return mendAvif(picture)
    if (picture.toString('latin1', 8, 12) === 'WEBP') return mendWebp(picture)
  } catch (error) {
    // A length that points beyond the file is left to its decoder.
    if (!(error instanceof RangeError)) throw error
  }
  return picture
}

/**
 * Completes the chunk in which the file is truncated, so that libpng accepts its pixels, and adds
 * an end.
 */
function mendPng(picture: Buffer): Buffer {
  for (let at = 8; at + 8 < picture.length; ) {
    const end = at + 8 + picture.readUInt32BE(at)
    const name = picture.toString('latin1', at + 4, at + 8)
    if (name === 'IEND') break
    if (end + 4 > picture.length) {
      const content = picture.subarray(at + 8, Math.min(end, picture.length))
      return Buffer.concat([picture.subarray(0, at), pngChunk(name, content), pngChunk('IEND')])
    }
    at = end + 4
  }
  return picture
}

function pngChunk(name: string, content: Buffer = Buffer.alloc(0)): Buffer {
  const chunk = Buffer.alloc(content.length + 12)
  chunk.writeUInt32BE(content.length, 0)
  chunk.write(name, 4, 'latin1')
  chunk.set(content, 8)
  chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), chunk.length - 4)
  return chunk
}

const sequentialFrames: ReadonlySet<number> = new Set([0xc0, 0xc1])
const startOfScan = 0xda
const endOfImage = Buffer.from([0xff, 0xd9])

/**
 * Fixes the scan headers of a sequential JPEG, whose scans hold all coefficients whatever they say
 * (ITU T.81, B.2.3), and adds an end.
 */
function mendJpeg(picture: Buffer): Buffer {
  const mended = Buffer.concat([picture, endOfImage])
  let isSequential = false
  let hasEnd = false
  for (const { kind, at } of jpegSegments(picture)) {
    if (sequentialFrames.has(kind)) isSequential = true
    if (kind === endOfImage[1]) hasEnd = true
    if (kind !== startOfScan || !isSequential) continue
    const selection = at + 5 + 2 * mended.readUInt8(at + 4)
    mended.set([0, 63, 0], selection)
  }
  return hasEnd ? mended.subarray(0, picture.length) : mended
}

/**
 * Sets the still's brand first: an animation that also holds a still names a film first, and
 * libvips checks nothing else.
 */
function mendAvif(picture: Buffer): Buffer {
  const mended = Buffer.from(picture)
  mended.write('avif', 8, 'latin1')
  return mended
}

/**
 * Keeps the whole chunks of a file that is truncated after its picture, for example in EXIF data or
 * in an animation.
 */
function mendWebp(picture: Buffer): Buffer {
  if (picture.readUInt32LE(4) + 8 <= picture.length) return picture
  let end = 12
  for (let next = end; next + 8 <= picture.length; ) {
    const size = picture.readUInt32LE(next + 4)
    next += 8 + size + (size % 2)
    if (next <= picture.length) end = next
  }
  const mended = Buffer.from(picture.subarray(0, end))
  mended.writeUInt32LE(end - 8, 4)
  return mended
}
