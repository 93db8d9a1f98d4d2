import { writeFile } from 'node:fs/promises'
import { child, descend, videoTrack } from '../../runtime/mp4/boxes.ts'
import { readSampleTable } from '../../runtime/mp4/sample-table.ts'
import { box, fullBox, rebuilt, withNumber } from '../../runtime/mp4/write.ts'
import { readWhole } from '../files/read-whole.ts'

/** Coded picture of a segment. */
export type Sample = {
  readonly data: Buffer
  /** True when a player can start here. */
  readonly isKey: boolean
  /** Frame of the segment that it shows, 0-based. Samples are in decoding order. */
  readonly frame: number
}

/** Segment in memory: an mp4 whose clock ticks once a frame, with one track; `kind` is its ftyp. */
export type SampledSegment = {
  readonly kind: Buffer
  readonly moov: Buffer
  readonly samples: readonly Sample[]
}

/** Reads a segment as ffmpeg's muxer left it. */
export async function readSamples(file: string): Promise<SampledSegment> {
  const bytes = await readWhole(file)
  const moov = child(bytes, 'moov')
  const { sizes, positions, keys, frames } = readSampleTable(videoTrack(moov))
  const samples = sizes.map((size, i) => {
    const at = positions[i] ?? 0
    return { data: bytes.subarray(at, at + size), isKey: keys[i] ?? false, frame: frames[i] ?? 0 }
  })
  return { kind: child(bytes, 'ftyp'), moov, samples }
}

/**
 * Writes a segment with other samples; together they must show frames 0, 1, 2 … once each. All else
 * in its boxes stays.
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

/**
 * Returns the sample table: one chunk that begins at `dataAt`. Samples are shown `delay` ticks
 * late, which the edit list undoes.
 */
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
