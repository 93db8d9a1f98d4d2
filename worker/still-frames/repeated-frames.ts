import { decoderConfig, descend, sampleEntry, videoTrack } from '../../runtime/mp4/boxes.ts'
import { readSamples, type Sample, writeSamples } from '../mp4/samples.ts'
import { sliceFacts, streamFacts } from './parameter-sets.ts'
import { repeatPicture } from './repeat-picture.ts'

/** Run of equal frames, of which the encoder got the first `encoded`. */
export type Coding = { readonly frames: number; readonly encoded: number }

/**
 * Returns the frames, in the encoder's count, that must be key frames: frames inserted before them
 * invalidate the earlier references.
 */
export function keyFramesOf(codings: readonly Coding[]): number[] {
  const keys: number[] = []
  let at = 0
  for (const { frames, encoded } of codings) {
    at += encoded
    if (encoded < frames) keys.push(at)
  }
  // A key frame at the very end is not needed.
  return keys.at(-1) === at ? keys.slice(0, -1) : keys
}

/**
 * Inserts the frames that the encoder did not get into a segment of H.264: pictures that say "as
 * before", a few dozen bytes each. They decode to exactly the frame before them.
 */
export async function insertRepeats(
  { from, to }: { readonly from: string; readonly to: string },
  codings: readonly Coding[],
): Promise<void> {
  const segment = await readSamples(from)
  const avcC = decoderConfig(sampleEntry(descend(videoTrack(segment.moov), stblPath)))
  const stream = streamFacts(avcC)
  const samples: Sample[] = []
  let taken = 0
  let encoded = 0
  for (const coding of codings) {
    encoded += coding.encoded
    if (coding.encoded === coding.frames) continue
    const part = segment.samples.slice(taken, encoded)
    const before = samples.length - taken
    samples.push(...part.map((sample) => ({ ...sample, frame: sample.frame + before })))
    taken = encoded
    const slices = part.map(({ data }) => sliceFacts(data, stream))
    const last = part.reduce((a, b) => (b.frame > a.frame ? b : a)).frame
    const shown = slices[part.findIndex(({ frame }) => frame === last)]
    const decoded = slices.findLast(({ isReference }) => isReference)
    if (!shown || !decoded || last !== encoded - 1) {
      throw new Error(`A repeated picture must be coded before frame ${encoded}. Got ${last}`)
    }
    const count = coding.frames - coding.encoded
    for (const data of repeatPicture({ shown, decoded }, { count, stream })) {
      samples.push({ data, isKey: false, frame: samples.length })
    }
  }
  const before = samples.length - taken
  const rest = segment.samples.slice(taken)
  if (taken > 0 && rest[0]?.isKey === false) {
    throw new Error('A key frame must follow a repeated picture. Got none')
  }
  samples.push(...rest.map((sample) => ({ ...sample, frame: sample.frame + before })))
  await writeSamples(to, { ...segment, samples })
}

const stblPath = ['mdia', 'minf', 'stbl']
