import type { ImageFormat } from '../../runtime/media/sniff.ts'

/** Fault in a file's own blocks, in words that follow "This png file ...". */
type StructureFault = 'is cut off' | 'has too many parts' | 'is too short for its size'

/** Formats that browsers show as far as they can be decoded. */
export const salvaged: ReadonlySet<string> = new Set(['jpeg', 'png', 'gif'])

/** Most chunks of a PNG; encoders make them 8 kB or more, in files of at most 64 MB. */
const pngChunksMax = 65_536
/** An encoder makes about ten scans; each is a pass over the whole picture. */
const jpegScansMax = 32
const gifFramesMax = 2_000
const avifBoxesMax = 4_096

/**
 * Follows the blocks of a picture to their claimed end without decoding, so a truncated or
 * malicious file is cheap. Undefined when there is no fault.
 */
export function structureFault(
  file: Buffer,
  { format, pixels }: { format: ImageFormat; pixels: number },
): StructureFault | undefined {
  try {
    return walkers[format](file, pixels)
  } catch (error) {
    // A length points beyond the file.
    if (error instanceof RangeError) return 'is cut off'
    throw error
  }
}

const walkers: Record<ImageFormat, (file: Buffer, pixels: number) => StructureFault | undefined> = {
  png: walkPng,
  jpeg: walkJpeg,
  gif: walkGif,
  webp: walkWebp,
  avif: walkAvif,
}

/** Walks chunks of length, type, content and checksum (PNG, section 5.3), until IEND. */
function walkPng(file: Buffer): StructureFault | undefined {
  let at = 8
  for (let chunk = 0; chunk < pngChunksMax; chunk++) {
    const end = at + 12 + file.readUInt32BE(at)
    if (end > file.length) return 'is cut off'
    if (file.toString('latin1', at + 4, at + 8) === 'IEND') return undefined
    at = end
  }
  return 'has too many parts'
}

const startOfScan = 0xda
const endOfImage = 0xd9

/**
 * Walks marker segments and the data of each scan (ITU T.81, B.1), until EOI. A block of 64 pixels
 * takes at least one bit; a decoder would silently fill in missing ones.
 */
function walkJpeg(file: Buffer, pixels: number): StructureFault | undefined {
  if (file.length * 8 < pixels / 64) return 'is too short for its size'
  let scans = 0
  for (const { kind } of jpegSegments(file)) {
    if (kind === endOfImage) return undefined
    if (kind === startOfScan && ++scans > jpegScansMax) return 'has too many parts'
  }
  return 'is cut off'
}

/**
 * Yields marker segments up to EOI, or up to the last one of a truncated file. @throws RangeError
 * for a length beyond the file
 */
export function* jpegSegments(file: Buffer): Generator<{ kind: number; at: number }> {
  let at = 2
  for (;;) {
    const marker = nextMarker(file, at)
    if (marker === undefined) return
    const kind = file.readUInt8(marker + 1)
    yield { kind, at: marker }
    if (kind === endOfImage) return
    at = marker + 2 + file.readUInt16BE(marker + 2)
  }
}

/**
 * Returns the position of the next marker with a length, or EOI: stuffed bytes and restarts are
 * data.
 */
function nextMarker(file: Buffer, from: number): number | undefined {
  for (let at = file.indexOf(0xff, from); at >= 0; at = file.indexOf(0xff, at + 1)) {
    const kind = file[at + 1]
    if (kind === undefined) return undefined
    const isRestart = kind >= 0xd0 && kind <= 0xd7
    if (kind !== 0x00 && kind !== 0x01 && kind !== 0xff && !isRestart) return at
  }
  return undefined
}

/**
 * Walks extensions and images in blocks (GIF89a, section 17 on) until the trailer, which many files
 * lack, or an unknown block.
 */
function walkGif(file: Buffer): StructureFault | undefined {
  let at = 13 + colorTableBytes(file.readUInt8(10))
  let frames = 0
  for (;;) {
    const kind = at < file.length ? file.readUInt8(at) : undefined
    if (kind === 0x21) at = skipSubBlocks(file, at + 2)
    else if (kind === 0x2c) {
      if (++frames > gifFramesMax) return 'has too many parts'
      at = skipSubBlocks(file, at + 11 + colorTableBytes(file.readUInt8(at + 9)))
    } else return frames > 0 ? undefined : 'is cut off'
  }
}

function colorTableBytes(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0
}

function skipSubBlocks(file: Buffer, from: number): number {
  let at = from
  for (;;) {
    const length = file.readUInt8(at)
    at += 1 + length
    if (length === 0) return at
  }
}

/** Checks that the boxes fill the file (ISO 14496-12, 4.2); a size of 0 means to the end. */
function walkAvif(file: Buffer): StructureFault | undefined {
  let at = 0
  for (let box = 0; box < avifBoxesMax; box++) {
    if (at === file.length) return undefined
    const claimed = file.readUInt32BE(at)
    if (claimed === 0) return undefined
    const size = claimed === 1 ? Number(file.readBigUInt64BE(at + 8)) : claimed
    if (size < 8 || at + size > file.length) return 'is cut off'
    at += size
  }
  return 'has too many parts'
}

const webpPictures: ReadonlySet<string> = new Set(['VP8 ', 'VP8L', 'ANMF'])

/**
 * Checks for the length that RIFF claims, or at least the first picture (RFC 9649): truncation
 * after it loses nothing.
 */
function walkWebp(file: Buffer): StructureFault | undefined {
  if (file.readUInt32LE(4) + 8 <= file.length) return undefined
  for (let at = 12; ; ) {
    const end = at + 8 + file.readUInt32LE(at + 4)
    if (end > file.length) return 'is cut off'
    if (webpPictures.has(file.toString('latin1', at, at + 4))) return undefined
    at = end + (end % 2)
  }
}
