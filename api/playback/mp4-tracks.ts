import { descend, trackOf } from '../../runtime/mp4/boxes.ts'
import { decodeTimes, hiddenTicks } from '../../runtime/mp4/fragments.ts'
import { readSampleTable, type SampleTable } from '../../runtime/mp4/sample-table.ts'

type Samples = Pick<SampleTable, 'sizes' | 'positions'> & { readonly box: Buffer }

export type PicturesTrack = Samples & {
  readonly keys: readonly boolean[]
  /** Frame that each sample shows. */
  readonly shown: readonly number[]
}

export type SoundTrack = Samples & {
  /** Decode time of each sample, and the end of the last one, ticks. */
  readonly times: readonly number[]
  /** Ticks at the beginning that nobody hears. */
  readonly hidden: number
}

export function readPictures(moov: Buffer): PicturesTrack {
  const box = trackOf(moov, 'vide')
  const { sizes, positions, keys, frames } = readSampleTable(box)
  return { box, sizes, positions, keys, shown: shownFrames(box, frames) }
}

export function readSound(moov: Buffer): SoundTrack {
  const box = trackOf(moov, 'soun')
  const { sizes, positions } = readSampleTable(box)
  return { box, sizes, positions, times: decodeTimes(box, sizes.length), hidden: hiddenTicks(box) }
}

/**
 * Returns the frame that each sample shows. `readSampleTable` takes a tick for a frame, as it is in
 * segments; the clock of a finished file is finer.
 */
function shownFrames(track: Buffer, delays: readonly number[]): number[] {
  const ticks = descend(track, ['mdia', 'minf', 'stbl', 'stts']).readUInt32BE(12)
  const shown = delays.map((frame, i) => i + (frame - i) / ticks)
  const first = shown.reduce((least, each) => Math.min(least, each), Number.POSITIVE_INFINITY)
  return shown.map((frame) => frame - first)
}
