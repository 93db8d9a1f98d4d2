import { descend, sampleEntry, videoTrack } from '../../runtime/mp4/boxes.ts'
import { isReferred } from '../still-frames/index.ts'
import { readSamples, type Sample, writeSamples } from './samples.ts'

/**
 * Writes to `to` the part of a segment that a decoder needs to show one frame: from the key frame
 * before it to the frame, without pictures that no other refers to. That is half of most x264
 * films, and the frame is the same. Returns the frame's number there, 0-based.
 */
export async function writeBeginning(
  file: string,
  { frame, to }: { frame: number; to: string },
): Promise<number> {
  const segment = await readSamples(file)
  const all = segment.samples
  const last = all.findIndex((sample) => sample.frame === frame)
  if (last < 0) throw new Error(`A segment must show its frame ${frame}. It does not`)
  const first = all.findLastIndex(({ isKey }, i) => isKey && i <= last)
  const { name } = sampleEntry(descend(videoTrack(segment.moov), ['mdia', 'minf', 'stbl']))
  const isNeeded = (sample: Sample) =>
    sample.frame === frame || name !== 'avc1' || isReferred(sample.data)
  const needed = all.slice(Math.max(0, first), last + 1).filter(isNeeded)
  const shown = needed.map((sample) => sample.frame).sort((a, b) => a - b)
  const samples = needed.map((sample) => ({ ...sample, frame: shown.indexOf(sample.frame) }))
  await writeSamples(to, { ...segment, samples })
  return shown.indexOf(frame)
}
