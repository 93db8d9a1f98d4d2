import { crc32 } from 'node:zlib'
import { boxes } from '../../runtime/mp4/boxes.ts'
import {
  bt709,
  type Chromaticities,
  type ColorCoding,
  codingOf,
  codingOfGamma,
  srgbLight,
} from './color-coding.ts'
import { isColorSpace } from './to-srgb.ts'

/**
 * Returns the colours that a PNG or an AVIF describes by numbers, when they override its ICC
 * profile or it has no valid one. Undefined: its profile counts, or it is sRGB.
 */
export function codingIn(
  bytes: Buffer,
  { format, hasProfile }: { format: string; hasProfile: boolean },
): ColorCoding | undefined {
  const said =
    format === 'png'
      ? codingInPng(bytes, hasProfile)
      : format === 'heif' && !hasProfile
        ? codingInAvif(bytes)
        : undefined
  return said?.primaries === bt709 && said.light === srgbLight ? undefined : said
}

/**
 * Applies PNG, third edition, 4.3: cICP, then iCCP, then sRGB, then gAMA with cHRM; only chunks
 * before the picture's data count.
 */
function codingInPng(bytes: Buffer, hasProfile: boolean): ColorCoding | undefined {
  const chunks = chunksBeforeData(bytes)
  const cicp = chunks.get('cICP')
  // RGB of full range is the only legal value in a PNG, and the only one that browsers show.
  if (cicp?.readUInt8(2) === 0 && cicp.readUInt8(3) === 1) {
    const coding = codingOf(cicp.readUInt8(0), cicp.readUInt8(1))
    if (coding) return coding
  }
  if (hasProfile || chunks.has('sRGB')) return undefined
  const gamma = chunks.get('gAMA')?.readUInt32BE(0) ?? 0
  return gamma === 0
    ? undefined
    : codingOfGamma(gamma / 100_000, chromaticities(chunks.get('cHRM')))
}

function chromaticities(chunk: Buffer | undefined): Chromaticities | undefined {
  if (chunk?.length !== 32) return undefined
  const values = Array.from({ length: 8 }, (_, i) => chunk.readInt32BE(i * 4) / 100_000)
  const primaries = values as unknown as Chromaticities
  return isColorSpace(primaries) ? primaries : undefined
}

const colorChunks: Readonly<Record<string, number>> = { cICP: 4, sRGB: 1, gAMA: 4, cHRM: 32 }

/** Returns the first whole chunk of each kind. */
function chunksBeforeData(bytes: Buffer): ReadonlyMap<string, Buffer> {
  const chunks = new Map<string, Buffer>()
  for (let at = 8; at + 12 <= bytes.length; ) {
    const length = bytes.readUInt32BE(at)
    const name = bytes.toString('latin1', at + 4, at + 8)
    if (name === 'IDAT') break
    const end = at + 8 + length
    if (name === 'PLTE') chunks.set(name, bytes.subarray(at, at))
    const isLate = name === 'cICP' && chunks.has('PLTE')
    if (length === colorChunks[name] && !isLate && end + 4 <= bytes.length && !chunks.has(name)) {
      const isWhole = crc32(bytes.subarray(at + 4, end)) === bytes.readUInt32BE(end)
      if (isWhole) chunks.set(name, bytes.subarray(at + 8, end))
    }
    at = end + 4
  }
  return chunks
}

/** Defaults of browsers for unspecified code points. */
const unspecified = 2
const [bt709Code, srgbCode] = [1, 13]
/** Curves of television, which browsers show as sRGB in pictures. */
const asSrgb: ReadonlySet<number> = new Set([unspecified, 1, 6, 14, 15])

/**
 * Reads the first `colr` of kind `nclx` among the properties of the file's items (ISO 14496-12,
 * 12.1.5).
 */
function codingInAvif(bytes: Buffer): ColorCoding | undefined {
  const inside = (around: Buffer, name: string) =>
    [...boxes(around)].find((box) => box.name === name)?.content ?? Buffer.alloc(0)
  const properties = inside(inside(inside(bytes, 'meta').subarray(4), 'iprp'), 'ipco')
  const said = [...boxes(properties)].find(
    ({ name, content }) =>
      name === 'colr' && content.length >= 8 && content.toString('latin1', 0, 4) === 'nclx',
  )
  if (!said) return undefined
  const [primaries, light] = [said.content.readUInt16BE(4), said.content.readUInt16BE(6)]
  return codingOf(
    primaries === unspecified ? bt709Code : primaries,
    asSrgb.has(light) ? srgbCode : light,
  )
}
