import type { TimedElement, Timeline } from './types.ts'

type Seen = Pick<TimedElement, 'field' | 'begin' | 'end'>

/** When the elements of a film are seen: what `elementsAt` needs of a timeline. */
export type ElementTimes = Pick<Timeline, 'firstSecond' | 'frameRate'> & {
  readonly scenes: readonly (Pick<Seen, 'begin' | 'end'> & { readonly elements: readonly Seen[] })[]
  /** Project visuals, above all scenes. */
  readonly elements: readonly Seen[]
}

export function elementTimesOf(timeline: ElementTimes): ElementTimes {
  const { firstSecond, frameRate, scenes } = timeline
  const seen = (elements: readonly Seen[]) =>
    elements.map(({ field, begin, end }) => ({ field, begin, end }))
  return {
    ...{ firstSecond, frameRate },
    scenes: scenes.map(({ begin, end, elements }) => ({ begin, end, elements: seen(elements) })),
    elements: seen(timeline.elements),
  }
}

/** Returns the time of frame `n` and the paths of the elements seen then, bottom first, at most `most`. */
export function elementsAt(
  times: ElementTimes,
  { frame, most }: { frame: number; most: number },
): { readonly second: number; readonly elements: readonly string[] } {
  const second = times.firstSecond + frame / times.frameRate
  const isSeen = ({ begin, end }: Pick<TimedElement, 'begin' | 'end'>) =>
    begin <= second && second < end
  const all = [...times.scenes.filter(isSeen).flatMap(({ elements }) => elements)]
  const seen = [...all, ...times.elements].filter(isSeen).map(({ field }) => field)
  return { second, elements: [...new Set(seen)].slice(0, most) }
}
