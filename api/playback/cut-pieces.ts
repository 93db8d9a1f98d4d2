import { plainAacDescription } from '../../runtime/mp4/aac.ts'
import { boxes, child, descend, trackOf } from '../../runtime/mp4/boxes.ts'
import { type FragmentSample, fragmentOf, initOf } from '../../runtime/mp4/fragments.ts'
import { writePictureSize } from '../../runtime/mp4/picture-size.ts'
import { descriptionOfAll } from '../../runtime/mp4/write.ts'
import type { Mp4File } from './mp4-file.ts'

/**
 * Cuts a film's pieces out of its segments, or out of the finished file: the same bytes from either,
 * without decoding.
 *
 * Pictures and sound begin a second late, both alike, and have no edit lists. So sound that a decoder
 * needs before the film's beginning keeps a time that is not negative, and every player shows them in
 * step.
 */

const lateSeconds = 1
/** Ticks of the pictures' clock for each frame: a whole number of samples of sound in any rate. */
const frameTicks = 48_000
const soundClock = 48_000
/** Seconds of frames are no whole ticks in floating point. */
const rounding = 1e-3

/** Bit rate in the sound's description, which no player needs. */
const describedBitRate = 128_000

/** A range of frames of the film in a file: that file's samples from `from` on. */
export type Stretch = { readonly file: Mp4File; readonly from: number; readonly frames: number }

/** `film`: its size, which may be odd where that of its segments is even. */
export function picturesInit(
  { moov }: Mp4File,
  film: { width: number; height: number; frameRate: number },
): Buffer {
  const track = Buffer.from(trackOf(moov, 'vide'))
  writePictureSize(track, film)
  const stsd = descriptionOfAll(descend(track, ['mdia', 'minf', 'stbl', 'stsd']))
  return initOf({ moov, track, stsd }, frameTicks * film.frameRate)
}

export function soundInit({ moov }: Mp4File): Buffer {
  const track = trackOf(moov, 'soun')
  return initOf({ moov, track, stsd: contentOf(plainAacDescription(describedBitRate)) }, soundClock)
}

/** `start`: the piece's first frame in the film; `number`: its number, from 0. */
export async function picturesPiece(
  { number, start, frameRate }: { number: number; start: number; frameRate: number },
  stretches: readonly Stretch[],
): Promise<Buffer> {
  const samples: FragmentSample[] = []
  const data: Buffer[] = []
  for (const { file, from, frames } of stretches) {
    const { sizes, positions, keys, shown } = file.pictures()
    const places = sizes.slice(from, from + frames).map((size, i) => ({
      ...{ size, at: positions[from + i] ?? 0 },
    }))
    if (places.length < frames) throw new Error('A file must have all frames of its pieces')
    data.push(...(await file.readSamples(places)))
    samples.push(
      ...places.map(({ size }, i) => ({
        ...{ size, ticks: frameTicks, isKey: keys[from + i] ?? false },
        shift: ((shown[from + i] ?? 0) - (from + i)) * frameTicks,
      })),
    )
  }
  const begin = (start + lateSeconds * frameRate) * frameTicks
  return fragmentOf({ number: number + 1, begin, samples, data })
}

/** The packets that begin within the seconds `from` .. `to`; the first piece has those before, too. */
export async function soundPiece(
  { number, from, to }: { number: number; from: number; to: number },
  file: Mp4File,
): Promise<Buffer> {
  const { sizes, positions, times, hidden } = file.sound()
  const placeOf = (seconds: number) => firstFrom(times, seconds * soundClock + hidden - rounding)
  const first = number === 0 ? 0 : placeOf(from)
  const end = Math.min(sizes.length, placeOf(to))
  const packets = sizes.slice(first, end).map((size, i) => ({ size, at: first + i }))
  const data = await file.readSamples(
    packets.map(({ size, at }) => ({ size, at: positions[at] ?? 0 })),
  )
  const begin = (times[first] ?? 0) - hidden + lateSeconds * soundClock
  const samples = packets.map(({ size, at }) => ({
    ...{ size, shift: 0, isKey: true },
    ticks: (times[at + 1] ?? 0) - (times[at] ?? 0),
  }))
  return fragmentOf({ number: number + 1, begin, samples, data })
}

/** Finds the first of these ascending times that is not before `ticks`, by binary search. */
function firstFrom(times: readonly number[], ticks: number): number {
  let [low, high] = [0, times.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((times[middle] ?? 0) < ticks) low = middle + 1
    else high = middle
  }
  return low
}

/** Key frames of a file, as frames of the film. */
export function keyFramesOf(file: Mp4File): { keys: readonly number[]; frames: number } {
  const { keys } = file.pictures()
  return { keys: keys.flatMap((isKey, i) => (isKey ? [i] : [])), frames: keys.length }
}

export function hasSoundTrack({ moov }: Mp4File): boolean {
  return [...boxes(moov)].some(
    ({ name, content }) =>
      name === 'trak' && descend(content, ['mdia', 'hdlr']).toString('latin1', 8, 12) === 'soun',
  )
}

/** Coding of the pictures, as a playlist names it (RFC 6381). */
export function codecOf({ moov }: Mp4File): string {
  const stsd = descend(trackOf(moov, 'vide'), ['mdia', 'minf', 'stbl', 'stsd'])
  const at = stsd.indexOf('avcC')
  if (at < 0) throw new Error('The pictures must be H.264')
  return `avc1.${stsd.toString('hex', at + 5, at + 8)}`
}

/** Size of the pictures and frames a second, as the file says them. */
export function formatOf({ moov }: Mp4File) {
  const track = trackOf(moov, 'vide')
  const header = child(track, 'tkhd')
  const clock = descend(track, ['mdia', 'mdhd']).readUInt32BE(12)
  const stts = descend(track, ['mdia', 'minf', 'stbl', 'stts'])
  return {
    width: header.readUInt32BE(76) / 65_536,
    height: header.readUInt32BE(80) / 65_536,
    frameRate: clock / stts.readUInt32BE(12),
  }
}

function contentOf(box: Buffer): Buffer {
  return box.subarray(8)
}
