import { readFile, writeFile } from 'node:fs/promises'
import { boxes, child, descend, videoTrack } from './mp4-boxes.ts'

/** A coded picture of a segment. */
export type Sample = {
  readonly data: Buffer
  /** Whether a player can start here. */
  readonly isKey: boolean
  /** The frame of the segment that it shows, 0-based. Samples stand in decoding order. */
  readonly frame: number
}

/** A segment in memory: an mp4 whose clock ticks once a frame, with one track; `kind` is its ftyp. */
export type SampledSegment = {
  readonly kind: Buffer
  readonly moov: Buffer
  readonly samples: readonly Sample[]
}

/** Reads a segment as ffmpeg's muxer left it. */
export async function readSamples(file: string): Promise<SampledSegment> {
  const bytes = await readFile(file)
  const moov = child(bytes, 'moov')
  const track = videoTrack(moov)
  const table = descend(track, ['mdia', 'minf', 'stbl'])
  const sizes = numbersIn(child(table, 'stsz'), 12)
  const positions = positionsOf(table, sizes)
  const keys = new Set(found(table, 'stss') ? numbersIn(child(table, 'stss'), 8) : [])
  const shifts = found(table, 'ctts') ? shiftsIn(child(table, 'ctts')) : sizes.map(() => 0)
  const first = Math.min(...shifts.map((shift, i) => i + shift))
  const samples = sizes.map((size, i) => {
    const at = positions[i] ?? 0
    const isKey = keys.size === 0 || keys.has(i + 1)
    return { data: bytes.subarray(at, at + size), isKey, frame: i + (shifts[i] ?? 0) - first }
  })
  return { kind: child(bytes, 'ftyp'), moov, samples }
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
      positions.push(at)
      at += sizes[positions.length - 1] ?? 0
    }
  }
  return positions
}

/** From when a sample is decoded to when it is shown. */
function shiftsIn(ctts: Buffer): number[] {
  const pairs = numbersIn(ctts, 8)
  const shifts: number[] = []
  for (let i = 0; i < pairs.length; i += 2) {
    for (let left = pairs[i] ?? 0; left > 0; left -= 1) shifts.push(pairs[i + 1] ?? 0)
  }
  return shifts
}

function found(table: Buffer, name: string): boolean {
  return [...boxes(table)].some((box) => box.name === name)
}

/**
 * Writes a segment with other samples than it was read with; together they must show frames 0, 1,
 * 2 … once each. What else its boxes say stays.
 */
export async function writeSamples(
  file: string,
  { kind, moov, samples }: SampledSegment,
): Promise<void> {
  const head = box('ftyp', kind)
  const data = samples.map((sample) => sample.data)
  const delay = Math.max(...samples.map(({ frame }, i) => i - frame))
  const movieScale = child(moov, 'mvhd').readUInt32BE(12)
  const frameScale = descend(videoTrack(moov), ['mdia', 'mdhd']).readUInt32BE(12)
  const lasts = Math.round((samples.length * movieScale) / frameScale)
  const table = tableOf(samples, { delay, dataAt: head.length + 8 })
  const changed = rebuilt(moov, (name, content) => {
    switch (name) {
      case 'mvhd':
        return withNumber(content, 16, lasts)
      case 'tkhd':
        return withNumber(content, 20, lasts)
      case 'mdhd':
        return withNumber(content, 16, samples.length)
      case 'elst':
        return fullBox([1, lasts, delay, 0x1_0000])
      case 'stbl':
        return Buffer.concat([box('stsd', child(content, 'stsd')), table])
      default:
        return content
    }
  })
  const whole = [head, box('mdat', Buffer.concat(data)), box('moov', changed)]
  await writeFile(file, Buffer.concat(whole))
}

/** One chunk that begins at `dataAt`; a sample is shown `delay` ticks late, which the edit list undoes. */
function tableOf(
  samples: readonly Sample[],
  { delay, dataAt }: { delay: number; dataAt: number },
): Buffer {
  const count = samples.length
  const keys = samples.flatMap(({ isKey }, i) => (isKey ? [i + 1] : []))
  const shifts = samples.flatMap(({ frame }, i) => [1, frame + delay - i])
  const sizes = samples.map(({ data }) => data.length)
  return Buffer.concat([
    box('stts', fullBox([1, count, 1])),
    box('stss', fullBox([keys.length, ...keys])),
    ...(delay > 0 ? [box('ctts', fullBox([count, ...shifts]))] : []),
    box('stsc', fullBox([1, 1, count, 1])),
    box('stsz', fullBox([0, count, ...sizes])),
    box('stco', fullBox([1, dataAt])),
  ])
}

const containers = new Set(['trak', 'edts', 'mdia', 'minf'])

/** The boxes of a box again, each with the content that `change` gives it. */
function rebuilt(content: Buffer, change: (name: string, content: Buffer) => Buffer): Buffer {
  return Buffer.concat(
    [...boxes(content)].map((each) => {
      const inner = containers.has(each.name) ? rebuilt(each.content, change) : each.content
      return box(each.name, change(each.name, inner))
    }),
  )
}

function box(name: string, content: Buffer): Buffer {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(content.length + 8)
  head.write(name, 4, 'latin1')
  return Buffer.concat([head, content])
}

/** Version 0, no flags, then numbers of 32 bits. */
function fullBox(numbers: readonly number[]): Buffer {
  const content = Buffer.alloc(4 + numbers.length * 4)
  for (const [i, number] of numbers.entries()) content.writeUInt32BE(number, 4 + i * 4)
  return content
}

function withNumber(content: Buffer, at: number, number: number): Buffer {
  const changed = Buffer.from(content)
  changed.writeUInt32BE(number, at)
  return changed
}
