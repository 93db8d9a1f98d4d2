import { clipFrame } from '../timeline/clip.ts'
import { elementsOf } from '../timeline/timeline.ts'
import type { Timeline } from '../timeline/types.ts'
import type { KeyFrames } from './plan.ts'
import type { FrameRange } from './runs.ts'

/**
 * Frames within `range`, except its first, where the clip shown longest in it reaches a key frame. A
 * segment that begins there decodes nothing that it does not show. Empty where no key frames are known.
 */
export function openingsOf(timeline: Timeline, range: FrameRange, keyFrames: KeyFrames): number[] {
  const { frameRate, firstSecond } = timeline
  const frameAt = (second: number) => Math.ceil((second - firstSecond) * frameRate - 1e-6)
  const [longest] = elementsOf(timeline)
    .flatMap(({ play, pixels, begin, end }) => {
      const keys = keyFrames[pixels.digest]
      if (!play || play.loops || !keys) return []
      const from = Math.max(range.start, frameAt(begin))
      const to = Math.min(range.start + range.frames, frameAt(end))
      return [{ play, keys, begin, from, to }]
    })
    .sort((a, b) => b.to - b.from - (a.to - a.from))
  if (!longest) return []
  const { play, keys, begin, from, to } = longest
  const openings: number[] = []
  let next = 0
  for (let n = from; n < to; n += 1) {
    const shown = clipFrame(play, firstSecond + n / frameRate - begin)
    const known = next
    while ((keys[next] ?? Number.POSITIVE_INFINITY) <= shown) next += 1
    if (next > known && n > range.start) openings.push(n)
  }
  return openings
}
