import { randomBytes } from 'node:crypto'
import { crc32, deflateSync, gzipSync } from 'node:zlib'
import sharp from 'sharp'

/** Files that a stranger might send instead of a picture, each made here. */

export function pngChunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content])
  const ends = Buffer.alloc(8)
  ends.writeUInt32BE(content.length, 0)
  ends.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)])
}

/** A PNG of 8-bit RGB, or of `depth` bits of grey, with these chunks between header and end. */
export function pngOf(
  { width, height, grey = 0 }: { width: number; height: number; grey?: number },
  ...chunks: Buffer[]
): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set(grey > 0 ? [grey, 0] : [8, 2], 8)
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    pngChunk('IHDR', header),
    ...chunks,
    pngChunk('IEND', Buffer.alloc(0)),
  ])
}

/** Data of 10 x 10 px of RGB. */
export const tenByTen = () => pngChunk('IDAT', deflateSync(Buffer.alloc(310)))

/** Compresses to a thousandth. */
export const zeros = (megabytes: number) => deflateSync(Buffer.alloc(megabytes * 2 ** 20))

export function gifOf(width: number, height: number, ...blocks: Buffer[]): Buffer {
  const head = Buffer.from('GIF89a\0\0\0\0\x80\0\0\0\0\0\xff\xff\xff', 'latin1')
  head.writeUInt16LE(width, 6)
  head.writeUInt16LE(height, 8)
  return Buffer.concat([head, ...blocks, Buffer.from(';')])
}

export function gifFrame(width: number, height: number): Buffer {
  const frame = Buffer.from('\x2c\0\0\0\0\0\0\0\0\0\x02\x02\x44\x01\0', 'latin1')
  frame.writeUInt16LE(width, 5)
  frame.writeUInt16LE(height, 7)
  return frame
}

/** A JPEG whose frame header claims another size than its data have. */
export async function jpegClaiming(width: number, height: number): Promise<Buffer> {
  const jpeg = await plain(16, 16).jpeg().toBuffer()
  const frame = jpeg.indexOf(Buffer.from([0xff, 0xc0]))
  jpeg.writeUInt16BE(height, frame + 5)
  jpeg.writeUInt16BE(width, frame + 7)
  return jpeg
}

/** A progressive JPEG of 3000 x 3000 px whose last scan comes a hundred times. */
export async function jpegOfManyScans(): Promise<Buffer> {
  const jpeg = await plain(3_000, 3_000).jpeg({ progressive: true }).toBuffer()
  const scan = jpeg.subarray(jpeg.lastIndexOf(Buffer.from([0xff, 0xda])), -2)
  return Buffer.concat([jpeg.subarray(0, -2), ...Array<Buffer>(100).fill(scan), jpeg.subarray(-2)])
}

/** A WebP that claims 10 x 10 and holds 9000 x 9000. */
export async function webpLying(): Promise<Buffer> {
  const webp = await plain(9_000, 9_000).webp({ effort: 0 }).toBuffer()
  const extended = Buffer.alloc(18)
  extended.write('VP8X', 'latin1')
  extended.writeUInt32LE(10, 4)
  extended.writeUIntLE(9, 12, 3)
  extended.writeUIntLE(9, 15, 3)
  const file = Buffer.concat([webp.subarray(0, 12), extended, webp.subarray(12)])
  file.writeUInt32LE(file.length - 8, 4)
  return file
}

/** An AVIF whose first size property differs from its data. */
export async function avifClaiming(width: number, height: number): Promise<Buffer> {
  const avif = await plain(64, 64).avif({ effort: 0 }).toBuffer()
  const property = avif.indexOf('ispe')
  avif.writeUInt32BE(width, property + 8)
  avif.writeUInt32BE(height, property + 12)
  return avif
}

/** Noise, which takes many bytes, without its last ones. */
export async function cutOff(format: 'png' | 'jpeg' | 'webp' | 'gif' | 'avif', share: number) {
  const [width, height] = [640, 480]
  const rgb = randomBytes(width * height * 3)
  const file = await sharp(rgb, { raw: { width, height, channels: 3 } })
    .toFormat(format, format === 'gif' ? {} : { effort: 1 })
    .toBuffer()
  return file.subarray(0, Math.floor(file.length * share))
}

/** A JPEG with changed bits, no marker among them: its decoder ends too early. */
export async function damagedJpeg() {
  const jpeg = Buffer.from(await plain(640, 480).jpeg().toBuffer())
  const middle = jpeg.length >> 1
  return jpeg.fill(Buffer.from('damaged bytes'), middle, middle + 400)
}

export const svgz = () => gzipSync('<svg xmlns="http://www.w3.org/2000/svg"/>')

function plain(width: number, height: number) {
  return sharp({ create: { width, height, channels: 3, background: '#888' } })
}
