import { boxes, child, descend } from './mp4-boxes.ts'

/** Where a track's samples are, in decoding order. A segment may come from a node that lies: nothing is believed. */
export type SampleTable = {
  readonly sizes: readonly number[]
  /** Byte of the file at which each begins. */
  readonly positions: readonly number[]
  /** Whether a player can start there. */
  readonly keys: readonly boolean[]
  /** The frame that each shows, 0-based, where the track's clock ticks once a frame. */
  readonly frames: readonly number[]
}

/** @throws Error when the counts in the tables do not belong together */
export function readSampleTable(track: Buffer): SampleTable {
  const table = descend(track, ['mdia', 'minf', 'stbl'])
  const sizes = numbersIn(child(table, 'stsz'), 12)
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

/** Numbers of 32 bits from `from` on: sizes, positions, sample numbers. */
function numbersIn(content: Buffer, from: number): number[] {
  return Array.from({ length: (content.length - from) / 4 }, (_, i) =>
    content.readUInt32BE(from + i * 4),
  )
}

function positionsOf(table: Buffer, sizes: readonly number[]): number[] {
  const chunks = numbersIn(child(table, 'stco'), 8)
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

/** From when a sample is decoded to when it is shown. */
function shiftsIn(ctts: Buffer, count: number): number[] {
  const pairs = numbersIn(ctts, 8)
  const shifts: number[] = []
  for (let i = 0; i < pairs.length; i += 2) {
    for (let left = pairs[i] ?? 0; left > 0; left -= 1) {
      assertCount(shifts.length + 1, '<=', count)
      shifts.push(pairs[i + 1] ?? 0)
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
