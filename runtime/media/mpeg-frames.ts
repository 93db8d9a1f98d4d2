/** Finds frames of MPEG sound by their headers: such a stream has no signature of its own. */

/** A single header may occur by chance; this many consecutive ones do not. */
const framesInRow = 3

/**
 * Returns the format of the first consecutive frames in `bytes`, whatever precedes them; undefined
 * = none. At the end of the file (`isAll`) fewer suffice, down to two.
 */
export function findFrames(bytes: Buffer, isAll: boolean): 'mp3' | 'aac' | undefined {
  for (let at = bytes.indexOf(0xff); at >= 0 && at + 7 <= bytes.length; ) {
    for (const [format, lengthAt] of [
      ['mp3', layer3Length] as const,
      ['aac', adtsLength] as const,
    ]) {
      if (isChain(bytes, { at, isAll, lengthAt })) return format
    }
    at = bytes.indexOf(0xff, at + 1)
  }
  return undefined
}

function isChain(
  bytes: Buffer,
  {
    at,
    isAll,
    lengthAt,
  }: { at: number; isAll: boolean; lengthAt: (bytes: Buffer, at: number) => number },
): boolean {
  let next = at
  for (let frames = 0; frames < framesInRow; frames += 1) {
    if (next + 7 > bytes.length) return isAll && frames > 1
    const length = lengthAt(bytes, next)
    if (length === 0) return false
    next += length
  }
  return true
}

const kilobits = {
  1: [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  2: [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
} as const
const sampleRates = [44_100, 48_000, 32_000] as const

/**
 * Returns the bytes of the frame of MPEG layer III that begins there (ISO 11172-3, 13818-3); 0 =
 * none.
 */
function layer3Length(bytes: Buffer, at: number): number {
  const header = bytes.readUInt32BE(at)
  const [version, layer] = [(header >>> 19) & 3, (header >>> 17) & 3]
  if (header >>> 21 !== 0x7ff || version === 1 || layer !== 1) return 0
  const rate = kilobits[version === 3 ? 1 : 2][((header >>> 12) & 15) - 1]
  const samples = sampleRates[(header >>> 10) & 3]
  if (rate === undefined || samples === undefined) return 0
  // MPEG-2 halves the rates, MPEG-2.5 (version 0) quarters them.
  const slower = version === 3 ? 1 : version === 2 ? 2 : 4
  const half = version === 3 ? 144 : 72
  return Math.floor((half * rate * 1000 * slower) / samples) + ((header >>> 9) & 1)
}

/** Returns the bytes of the ADTS frame that begins there (ISO 13818-7); 0 = none. */
function adtsLength(bytes: Buffer, at: number): number {
  const isSync = bytes[at] === 0xff && ((bytes[at + 1] ?? 0) & 0xf6) === 0xf0
  const rateIndex = ((bytes[at + 2] ?? 0) >> 2) & 15
  if (!isSync || rateIndex > 12) return 0
  const length = (bytes.readUIntBE(at + 3, 3) >> 5) & 0x1fff
  return length > 7 ? length : 0
}
