import { boxes, child, descend } from './boxes.ts'

/** A film of 4 hours at 120 frames a second has fewer; a table without entries may claim any number. */
const samplesMax = 3_000_000

/**
 * Places of a track's samples, in decoding order. A malicious node may have sent the segment, so
 * everything is checked.
 */
export type SampleTable = {
  readonly sizes: readonly number[]
  /** Byte offset of each sample in the file. */
  readonly positions: readonly number[]
  /** True for each sample at which a player can start. */
  readonly keys: readonly boolean[]
  /** Frame that each sample shows, 0-based, if the track's clock ticks once a frame. */
  readonly frames: readonly number[]
}

/** Reads the table of a track. @throws Error when the counts of its boxes do not match */
export function readSampleTable(track: Buffer): SampleTable {
  const table = descend(track, ['mdia', 'minf', 'stbl'])
  const sizes = sizesIn(table)
  const starts = new Set(has(table, 'stss') ? numbersIn(child(table, 'stss'), 8) : [])
  const shifts = has(table, 'ctts')
    ? shiftsIn(child(table, 'ctts'), sizes.length)
    : sizes.map(() => 0)
  const shown = shifts.map((shift, i) => i + shift)
  const first = shown.reduce((least, each) => Math.min(least, each), Number.POSITIVE_INFINITY)
  return {
    sizes,
    positions: positionsOf(table, sizes),
    keys: sizes.map((_, i) => starts.size === 0 || starts.has(i + 1)),
    frames: shown.map((each) => each - first),
  }
}

/**
 * Returns how many frames later than decoded the frames must be shown: B-pictures are decoded after
 * pictures that are shown later.
 */
export function delayOf({ frames }: Pick<SampleTable, 'frames'>): number {
  return frames.reduce((most, frame, i) => Math.max(most, i - frame), 0)
}

/**
 * Reads the samples' sizes. Samples of one size have it in the header and no entries (ISO 14496-12,
 * 8.7.3.2), as in a track of one sample. `stz2` has entries of 4, 8 or 16 bits (8.7.3.3).
 */
function sizesIn(table: Buffer): number[] {
  const isCompact = !has(table, 'stsz')
  const content = child(table, isCompact ? 'stz2' : 'stsz')
  const [size, count] = [content.readUInt32BE(4), content.readUInt32BE(8)]
  assertCount(count, '<=', samplesMax)
  if (!isCompact && size > 0) return new Array<number>(count).fill(size)
  const sizes = isCompact ? shortNumbersIn(content, size & 0xff) : numbersIn(content, 12)
  // Entries of 4 bits come in pairs.
  if (isCompact && size === 4 && sizes.length === count + 1) sizes.pop()
  assertCount(sizes.length, '=', count)
  return sizes
}

/** Reads the entries of an stz2. */
function shortNumbersIn(content: Buffer, bits: number): number[] {
  const entries = content.subarray(12)
  switch (bits) {
    case 4:
      return [...entries].flatMap((byte) => [byte >> 4, byte & 0x0f])
    case 8:
      return [...entries]
    case 16:
      return Array.from({ length: entries.length >> 1 }, (_, i) => entries.readUInt16BE(i * 2))
    default:
      throw new Error(`An stz2 must have entries of 4, 8 or 16 bits. Got ${bits}`)
  }
}

/** Reads numbers of 32 bits from `from` on: sizes, positions, sample numbers. */
function numbersIn(content: Buffer, from: number): number[] {
  return Array.from({ length: (content.length - from) / 4 }, (_, i) =>
    content.readUInt32BE(from + i * 4),
  )
}

function positionsOf(table: Buffer, sizes: readonly number[]): number[] {
  const chunks = chunksIn(table)
  const runs = numbersIn(child(table, 'stsc'), 8)
  const positions: number[] = []
  let run = 0
  for (const [i, chunk] of chunks.entries()) {
    if (runs[(run + 1) * 3] === i + 1) run += 1
    let at = chunk
    for (let left = runs[run * 3 + 1] ?? 0; left > 0; left -= 1) {
      assertCount(positions.length + 1, '<=', sizes.length)
      positions.push(at)
      at += sizes[positions.length - 1] ?? 0
    }
  }
  assertCount(positions.length, '=', sizes.length)
  return positions
}

/** Returns the byte offset of each chunk in the file. */
function chunksIn(table: Buffer): number[] {
  if (has(table, 'stco')) return numbersIn(child(table, 'stco'), 8)
  const halves = numbersIn(child(table, 'co64'), 8)
  return Array.from(
    { length: halves.length >> 1 },
    (_, i) => (halves[i * 2] ?? 0) * 2 ** 32 + (halves[i * 2 + 1] ?? 0),
  )
}

/** Returns the delay between decoding and showing of each sample. */
function shiftsIn(ctts: Buffer, count: number): number[] {
  const pairs = numbersIn(ctts, 8)
  const isSigned = ctts.readUInt8(0) === 1
  const shifts: number[] = []
  for (let i = 0; i < pairs.length; i += 2) {
    const shift = pairs[i + 1] ?? 0
    for (let left = pairs[i] ?? 0; left > 0; left -= 1) {
      assertCount(shifts.length + 1, '<=', count)
      shifts.push(isSigned ? shift | 0 : shift)
    }
  }
  assertCount(shifts.length, '=', count)
  return shifts
}

function assertCount(seen: number, relation: '<=' | '=', count: number): void {
  if (seen === count || (relation === '<=' && seen < count)) return
  throw new Error(`The tables of an mp4 must tell of ${count} samples. Got ${seen}`)
}

function has(table: Buffer, name: string): boolean {
  return [...boxes(table)].some((box) => box.name === name)
}
