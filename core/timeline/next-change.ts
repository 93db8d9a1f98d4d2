import { elementsOf } from './timeline.ts'
import type { TimedCaption, TimedElement, Timeline } from './types.ts'

/** More than the difference between two equal times (frame.ts). */
const slackSeconds = 1e-4

/**
 * Returns a function of a frame n: the first frame after `n` that may differ from it
 * (conservative). So the still parts of a film need not be described frame by frame.
 */
export function nextChangeAfter(timeline: Timeline): (n: number) => number {
  const { firstSecond, frameRate, frames } = timeline
  const edges = edgesOf(timeline)
  return (n) => {
    const second = firstSecond + n / frameRate
    if (moves(timeline, second)) return n + 1
    const until = Math.ceil((firstAfter(edges, second) - slackSeconds - firstSecond) * frameRate)
    return Math.min(frames, Math.max(n + 1, until))
  }
}

/** Seconds at which an element comes or goes, or may begin or stop moving, ascending. */
function edgesOf(timeline: Timeline): number[] {
  const { scenes, captions = [] } = timeline
  const seconds = [
    ...[...scenes, ...captions].flatMap(({ begin, end }) => [begin, end]),
    ...elementsOf(timeline).flatMap(({ begin, enterEnd, exitBegin, exitEnd, end, link }) => [
      ...[begin, enterEnd, exitBegin, exitEnd, end],
      ...(link ? [link.begin, link.end] : []),
    ]),
  ]
  return [...new Set(seconds)].sort((a, b) => a - b)
}

/** Finds the first value after `second` by binary search; infinite when there is none. */
function firstAfter(ascending: readonly number[], second: number): number {
  let [low, high] = [0, ascending.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ascending[middle] ?? 0) > second) high = middle
    else low = middle + 1
  }
  return ascending[low] ?? Number.POSITIVE_INFINITY
}

/** True where anything visible at that time, or nearly so, may change in the next frame. */
function moves({ scenes, elements, captions = [] }: Timeline, second: number): boolean {
  const isAt = ({ begin, end }: { readonly begin: number; readonly end: number }) =>
    second >= begin - slackSeconds && second < end + slackSeconds
  const seen = scenes.filter(isAt)
  if (seen.length > 1) return true
  const shown = [...elements, ...seen.flatMap((scene) => scene.elements)].filter(isAt)
  return (
    shown.some((element) => elementMoves(element, second)) || captions.filter(isAt).some(lineMoves)
  )
}

function elementMoves(element: TimedElement, second: number): boolean {
  const { begin, enter, enterEnd, exit, exitBegin, zoomDepth, play, moments, link } = element
  if (zoomDepth !== 1 || play !== undefined) return true
  if (enter !== null && second < enterEnd + slackSeconds) return true
  if (exit !== null && second >= exitBegin - slackSeconds) return true
  if (link && second >= link.begin - slackSeconds) return true
  return moments !== undefined && second < begin + moments.order.length / moments.frameRate
}

const lineMoves = ({ animation }: TimedCaption) =>
  animation !== 'none' && animation !== 'normal' && animation !== 'one-word'
