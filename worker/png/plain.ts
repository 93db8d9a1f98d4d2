import { deflateSync, inflateSync } from 'node:zlib'
import sharp from 'sharp'
import type { Size } from '../../core/timeline/rect.ts'
import { chunkHead, chunkTail, pngChunk, pngHeader, pngSignature } from './chunks.ts'

/** RGBA, straight alpha. */
export type Pixels = { readonly data: Buffer; readonly width: number; readonly height: number }

/**
 * Filters of rows: unchanged, or the difference to the row above
 * (https://www.w3.org/TR/png-3/#9Filters).
 */
const filters = { none: 0, up: 2 }

/** Allocates this many bytes, uninitialised. */
type MemoryFor = (bytes: number) => Buffer

/** Minimum chunk size of node's zlib, bytes. */
const leastChunk = 64

/** Memory of two million px. */
const memoryMax = 2 ** 23

/**
 * Returns an allocator that reuses one memory: new megabytes for each picture keep V8's collector
 * busy.
 */
export function oneMemory(): MemoryFor {
  let memory = Buffer.alloc(0)
  return (bytes) => {
    if (bytes > memoryMax) return Buffer.allocUnsafeSlow(bytes)
    if (memory.length < bytes) memory = Buffer.allocUnsafeSlow(bytes)
    return memory.subarray(0, bytes)
  }
}

/** A sixteenth fewer bytes than level 1 in the same time; level 4 takes twice as long. */
const level = 3

/** Decodes any PNG of that size. */
export async function decodePng(png: Uint8Array, { width, height }: Size): Promise<Pixels> {
  const { data, info } = await sharp(png).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  if (info.width === width && info.height === height) return { data, width, height }
  const seen = `${info.width} x ${info.height}`
  throw new Error(`The browser was to paint ${width} x ${height}. Got ${seen}`)
}

/**
 * Decodes a PNG of that size in Chromium's usual format; undefined for another kind, another size
 * or a damaged one. libvips takes far longer to set up for a small picture than to decode it.
 * `memoryFor`: allocates the pixels' memory.
 */
export function decodeUsualPng(
  png: Uint8Array,
  { width, height }: Size,
  memoryFor: MemoryFor,
): Pixels | undefined {
  const file = Buffer.from(png.buffer, png.byteOffset, png.byteLength)
  const chunks = chunksOf(file)
  const header = chunks.find(({ name }) => name === 'IHDR')?.content
  const isUsual = header?.equals(pngHeader({ width, height, channels: 4 }))
  if (!isUsual || !file.subarray(0, pngSignature.length).equals(pngSignature)) return undefined
  const packed = chunks.filter(({ name }) => name === 'IDAT').map(({ content }) => content)
  const rowBytes = width * 4
  const bytes = (rowBytes + 1) * height
  const room = { maxOutputLength: bytes, chunkSize: Math.max(bytes, leastChunk) }
  const rows = inflateSync(Buffer.concat(packed), room)
  if (rows.length !== bytes) return undefined
  const data = memoryFor(rowBytes * height)
  const pixels = new Uint32Array(data.buffer, data.byteOffset, width * height)
  const nothing = Buffer.alloc(rowBytes)
  for (let y = 0; y < height; y += 1) {
    const start = y * (rowBytes + 1)
    const filter = rows[start]
    if (filter !== filters.none && filter !== filters.up) return undefined
    const isAsAbove = filter === filters.up && y > 0
    // Most rows of most pictures equal the row above.
    if (isAsAbove && rows.compare(nothing, 0, rowBytes, start + 1, start + 1 + rowBytes) === 0) {
      data.copy(data, y * rowBytes, (y - 1) * rowBytes, y * rowBytes)
      continue
    }
    rows.copy(data, y * rowBytes, start + 1, start + 1 + rowBytes)
    if (isAsAbove) addRowAbove(pixels, y * width, width)
  }
  return { data, width, height }
}

/** Adds four channels at once, with the highest bits apart, so that none carries into the next. */
function addRowAbove(pixels: Uint32Array, start: number, width: number): void {
  for (let x = start; x < start + width; x += 1) {
    const above = pixels[x - width] as number
    const more = pixels[x] as number
    if (above === 0) continue
    pixels[x] =
      more === 0
        ? above
        : ((above & 0x7f7f7f7f) + (more & 0x7f7f7f7f)) ^ ((above ^ more) & 0x80808080)
  }
}

/** Returns the size in such a PNG's header; undefined when the file is too short. */
export function sizeOfUsualPng(png: Buffer): Size | undefined {
  const at = pngSignature.length + chunkHead
  if (png.length < at + 8) return undefined
  return { width: png.readUInt32BE(at), height: png.readUInt32BE(at + 4) }
}

/**
 * Encodes pixels; the same pixels give the same bytes. Meant for small pictures of words, for which
 * other filters would gain little.
 */
export function encodePng({ data, width, height }: Pixels): Buffer {
  const rowBytes = width * 4
  const rows = Buffer.allocUnsafe((rowBytes + 1) * height)
  for (let y = 0; y < height; y += 1) {
    const start = y * (rowBytes + 1)
    rows[start] = filters.none
    data.copy(rows, start + 1, y * rowBytes, (y + 1) * rowBytes)
  }
  const chunks = [
    pngChunk('IHDR', pngHeader({ width, height, channels: 4 })),
    pngChunk('IDAT', deflateSync(rows, { level })),
    pngChunk('IEND', Buffer.alloc(0)),
  ]
  return Buffer.concat([pngSignature, ...chunks])
}

type Chunk = { readonly name: string; readonly content: Buffer }

function chunksOf(file: Buffer): Chunk[] {
  const chunks: Chunk[] = []
  let at = pngSignature.length
  while (at + chunkHead + chunkTail <= file.length) {
    const end = at + chunkHead + file.readUInt32BE(at)
    const name = file.toString('latin1', at + 4, at + chunkHead)
    chunks.push({ name, content: file.subarray(at + chunkHead, end) })
    at = end + chunkTail
  }
  return chunks
}
