import type { TimedElement, Timeline } from './types.ts'

/** Returns the time of frame `n` and the paths of the elements seen then, bottom first, at most `most`. */
export function elementsAt(
  timeline: Timeline,
  { frame, most }: { frame: number; most: number },
): { readonly second: number; readonly elements: readonly string[] } {
  const second = timeline.firstSecond + frame / timeline.frameRate
  const isSeen = ({ begin, end }: Pick<TimedElement, 'begin' | 'end'>) =>
    begin <= second && second < end
  const all = [...timeline.scenes.filter(isSeen).flatMap(({ elements }) => elements)]
  const seen = [...all, ...timeline.elements].filter(isSeen).map(({ field }) => field)
  return { second, elements: [...new Set(seen)].slice(0, most) }
}
