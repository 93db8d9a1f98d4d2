import { brotliDecompressSync } from 'node:zlib'
import type { FaceMetrics } from '../../core/looks/face-metrics.ts'

/** Code points for which a font has a glyph. */
export type FontCharacters = ReadonlySet<number>

const headerBytes = 48
/** Indices into the known tags of the WOFF2 table directory. */
const cmapTag = 0
const headTag = 1
const os2Tag = 6
const glyfTag = 10
const locaTag = 11
const arbitraryTag = 63

/** Reads the character map of one of the farm's own WOFF2 files. */
export function readFontCharacters(woff2: Buffer): FontCharacters {
  return readCharacterMap(readTable(woff2, cmapTag))
}

/** Reads the sizes of one of the farm's own WOFF2 files (OpenType, head and OS/2). */
export function readFaceMetrics(woff2: Buffer): FaceMetrics {
  const windows = readTable(woff2, os2Tag)
  return [readTable(woff2, headTag).readUInt16BE(18), ...winHeights(windows)]
}

function winHeights(os2: Buffer): [winAscent: number, winDescent: number] {
  return [os2.readUInt16BE(74), os2.readUInt16BE(76)]
}

/** Returns the bytes of a table that WOFF2 stores untransformed (W3C WOFF2, sections 4 and 5). */
function readTable(woff2: Buffer, wanted: number): Buffer {
  if (woff2.toString('latin1', 0, 4) !== 'wOF2') throw new Error('A bundled font must be a WOFF2')
  const tables = woff2.readUInt16BE(12)
  const compressedBytes = woff2.readUInt32BE(20)
  let at = headerBytes
  let offset = 0
  let found: { offset: number; length: number } | undefined
  for (let table = 0; table < tables; table++) {
    const flags = woff2.readUInt8(at)
    const tag = flags & 0x3f
    const length = readBase128(woff2, at + (tag === arbitraryTag ? 5 : 1))
    const version = flags >> 6
    const isTransformed = tag === glyfTag || tag === locaTag ? version !== 3 : version !== 0
    const stored = isTransformed ? readBase128(woff2, length.end) : length
    if (tag === wanted) found = { offset, length: stored.value }
    offset += stored.value
    at = stored.end
  }
  if (!found) throw new Error(`A bundled font must have the table ${wanted} of WOFF2`)
  const data = brotliDecompressSync(woff2.subarray(at, at + compressedBytes))
  return data.subarray(found.offset, found.offset + found.length)
}

/** Reads a number of seven bits a byte; the highest bit says that more follow. */
function readBase128(bytes: Buffer, at: number): { value: number; end: number } {
  let value = 0
  let end = at
  for (;;) {
    const byte = bytes.readUInt8(end)
    end += 1
    value = value * 128 + (byte & 0x7f)
    if (byte < 0x80) return { value, end }
  }
}

/** Reads all Unicode subtables together (OpenType, cmap, formats 4 and 12). */
function readCharacterMap(cmap: Buffer): FontCharacters {
  const found = new Set<number>()
  const subtables = cmap.readUInt16BE(2)
  for (let index = 0; index < subtables; index++) {
    const subtable = cmap.subarray(cmap.readUInt32BE(4 + index * 8 + 4))
    const format = subtable.readUInt16BE(0)
    if (format === 4) addSegments(subtable, found)
    if (format === 12) addGroups(subtable, found)
  }
  return found
}

function addSegments(table: Buffer, found: Set<number>): void {
  const bytes = table.readUInt16BE(6)
  const [ends, starts] = [14, 16 + bytes]
  const [deltas, offsets] = [starts + bytes, starts + 2 * bytes]
  for (let at = 0; at < bytes; at += 2) {
    const offset = table.readUInt16BE(offsets + at)
    const start = table.readUInt16BE(starts + at)
    for (let code = start; code <= table.readUInt16BE(ends + at) && code < 0xffff; code++) {
      const stored =
        offset === 0 ? code : table.readUInt16BE(offsets + at + offset + (code - start) * 2)
      const glyph = stored === 0 ? 0 : (stored + table.readUInt16BE(deltas + at)) & 0xffff
      if (glyph !== 0) found.add(code)
    }
  }
}

function addGroups(table: Buffer, found: Set<number>): void {
  const groups = table.readUInt32BE(12)
  for (let at = 16; at < 16 + groups * 12; at += 12) {
    const start = table.readUInt32BE(at)
    const isMissing = table.readUInt32BE(at + 8) === 0
    for (let code = start; code <= table.readUInt32BE(at + 4); code++) {
      if (!isMissing || code > start) found.add(code)
    }
  }
}
