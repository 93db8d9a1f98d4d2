import { crc32 } from 'node:zlib'
import { stillOfGif } from './mend-gif.ts'
import { jpegSegments } from './picture-structure.ts'

/**
 * The picture with those of its bytes changed that decoders refuse or misread and browsers do not: none of them says
 * anything about a pixel. Of a GIF the first frame. What is not a picture of these kinds comes back as it is.
 */
export function mendPicture(picture: Buffer): Buffer {
  try {
    if (picture.toString('latin1', 1, 4) === 'PNG') return mendPng(picture)
    if (picture.readUInt16BE(0) === 0xffd8) return mendJpeg(picture)
    if (picture.toString('latin1', 0, 3) === 'GIF') return stillOfGif(picture)?.bytes ?? picture
    if (picture.toString('latin1', 4, 8) === 'ftyp') return mendAvif(picture)
    if (picture.toString('latin1', 8, 12) === 'WEBP') return mendWebp(picture)
  } catch (error) {
    // A length that leads beyond the file: its decoder says so.
    if (!(error instanceof RangeError)) throw error
  }
  return picture
}

/** Makes the chunk whole in which the file breaks off, so that libpng takes the pixels in it, and puts an end behind it. */
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

/** A scan of a sequential JPEG holds all coefficients whatever its header says (ITU T.81, B.2.3), and an end is put to it. */
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

/** An animation that also holds a still says that it is a film first; libvips asks nothing else. */
function mendAvif(picture: Buffer): Buffer {
  const mended = Buffer.from(picture)
  mended.write('avif', 8, 'latin1')
  return mended
}

/** Of a file that breaks off behind its picture, in its EXIF data say, or in an animation, the chunks that are whole. */
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
