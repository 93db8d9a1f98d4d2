import { captionCommands } from './caption-frame.ts'
import { clipFrame } from './clip.ts'
import type { DrawCommand, FrameDescription, PictureCommand } from './draw.ts'
import { exact } from './exact.ts'
import { boundsOf, matrixOf } from './placing.ts'
import { hullOf, overlaps, type Rect } from './rect.ts'
import type { Link, TimedElement, TimedScene, Timeline } from './types.ts'

/** Times are sums of decimals; two that differ by less are equal. */
const epsilonSeconds = 1e-6

/**
 * Describes frame `n` (0-based), which shows the time n / frameRate. Pure function of the timeline and n.
 */
export function describeFrame(timeline: Timeline, n: number): FrameDescription {
  const second = timeline.firstSecond + n / timeline.frameRate
  const canvas: Rect = [0, 0, timeline.width, timeline.height]
  const commands: DrawCommand[] = []
  if (timeline.background !== null) {
    commands.push({ op: 'fill', rect: canvas, color: timeline.background })
  }
  commands.push(...sceneCommands(timeline.scenes, { second, canvas }))
  commands.push(...elementCommands(timeline.elements, { second, canvas }))
  commands.push(...captionCommands(timeline.captions ?? [], second))
  return { width: timeline.width, height: timeline.height, commands }
}

type FrameTime = { readonly second: number; readonly canvas: Rect }

/** Paints one scene, or a transition between two. */
function sceneCommands(scenes: readonly TimedScene[], at: FrameTime): DrawCommand[] {
  const seen = scenes.filter((scene) => isWithin(at.second, scene.begin, scene.end))
  const [first, second] = seen
  if (!first) return []
  if (!second || !first.transition) return paintScene(seen.at(-1) ?? first, at)
  return [
    {
      op: 'transition',
      name: first.transition.name,
      progress: fraction(at.second, second.begin, first.end),
      box: at.canvas,
      from: paintScene(first, at),
      to: paintScene(second, at),
    },
  ]
}

function paintScene(scene: TimedScene, at: FrameTime): DrawCommand[] {
  return [
    { op: 'fill', rect: at.canvas, color: scene.background },
    ...elementCommands(scene.elements, at),
  ]
}

function elementCommands(elements: readonly TimedElement[], at: FrameTime): DrawCommand[] {
  const linked = linkedPairs(elements, at.second)
  return elements.flatMap((element, i) => {
    const pair = linked.get(i)
    if (pair === 'painted later') return []
    return pair ? linkCommand(pair, at) : animate(element, at)
  })
}

type Pair = { readonly link: Link; readonly from: TimedElement; readonly to: TimedElement }

/** Finds clips that are in transition now, at the upper one's place in the list. */
function linkedPairs(
  elements: readonly TimedElement[],
  second: number,
): Map<number, Pair | 'painted later'> {
  const pairs = new Map<number, Pair | 'painted later'>()
  for (const [i, from] of elements.entries()) {
    const { link } = from
    const to = link && elements[link.into]
    if (!to || !isWithin(second, link.begin, link.end)) continue
    pairs.set(Math.min(i, link.into), 'painted later')
    pairs.set(Math.max(i, link.into), { link, from, to })
  }
  return pairs
}

/** Paints the `xfade` of both over the whole-pixel bounds that contain them. */
function linkCommand({ link, from, to }: Pair, at: FrameTime): DrawCommand[] {
  const one = animate(from, at)
  const other = animate(to, at)
  if (one.length === 0 && other.length === 0) return []
  return [
    {
      op: 'transition',
      name: link.name,
      progress: fraction(at.second, link.begin, link.end),
      box: hullOf([ownBox(from), ownBox(to)]),
      from: one,
      to: other,
    },
  ]
}

/**
 * Paints the element's picture; during its enter and exit, the transitions that show it. The
 * element's own box gives a transition its geometry. The ink around it (shadows, overhanging
 * letters) moves and opens with it.
 */
function animate(element: TimedElement, at: FrameTime): DrawCommand[] {
  if (!isWithin(at.second, element.begin, element.end) || element.opacity === 0) return []
  const picture = drawElement(element, at.second)
  const ink = boundsOf(picture.clip?.rect ?? picture.dest, picture.matrix)
  const playing = playingAt(element, at.second)
  if (playing.length === 0) return overlaps(ink, at.canvas) ? [picture] : []
  const box = ownBox(element)
  const around = hullOf([box, ink])
  if (!overlaps(around, at.canvas)) return []
  const seen = around.every((edge, i) => edge === box[i]) ? { box } : { box, around }
  return [
    playing.reduce<DrawCommand>((shown, { name, progress, side }) => {
      const sides = side === 'to' ? { from: [], to: [shown] } : { from: [shown], to: [] }
      return { op: 'transition', name, progress, ...seen, ...sides }
    }, picture),
  ]
}

/** An enter transitions `to` the element, an exit away `from` it. */
type Playing = {
  readonly name: string
  readonly progress: number
  readonly side: 'from' | 'to'
}

function playingAt(element: TimedElement, second: number): Playing[] {
  const { begin, enter, enterEnd, exit, exitBegin, exitEnd } = element
  const playing: Playing[] = []
  if (enter !== null && isWithin(second, begin, enterEnd)) {
    playing.push({ name: enter, progress: fraction(second, begin, enterEnd), side: 'to' })
  }
  if (exit !== null && isWithin(second, exitBegin, exitEnd)) {
    playing.push({ name: exit, progress: fraction(second, exitBegin, exitEnd), side: 'from' })
  }
  return playing
}

function drawElement(element: TimedElement, second: number): PictureCommand {
  const { clip, opacity, filter } = element
  const { pixels, source, dest } = shownAt(element, second)
  const scale = 1 + (element.zoomDepth - 1) * fraction(second, element.begin, element.end)
  return {
    op: 'picture',
    pixels,
    source,
    dest: scale === 1 ? dest : scaled(dest, element.box, scale),
    ...(clip && { clip }),
    matrix: matrixOf(element, element.box),
    opacity,
    ...(filter && { filter }),
  }
}

/** Returns the picture shown, its source part and its destination. */
function shownAt(element: TimedElement, second: number): Pick<TimedElement, ShownKey> {
  const { pixels, play, moments, begin } = element
  if (pixels.kind === 'clip' && play) {
    return { ...element, pixels: { ...pixels, frame: clipFrame(play, second - begin) } }
  }
  if (!moments) return element
  const { order, shown, frameRate } = moments
  const moment = Math.floor((second - begin + epsilonSeconds) * frameRate)
  return shown[order[Math.min(order.length - 1, Math.max(0, moment))] ?? 0] ?? element
}

type ShownKey = 'pixels' | 'source' | 'dest'

/** Scales `rect` about the centre of `box`. */
function scaled(rect: Rect, box: Rect, scale: number): Rect {
  const cx = box[0] + box[2] / 2
  const cy = box[1] + box[3] / 2
  return [
    exact(cx + (rect[0] - cx) * scale),
    exact(cy + (rect[1] - cy) * scale),
    exact(rect[2] * scale),
    exact(rect[3] * scale),
  ]
}

/** Whole-pixel bounds of the element's own box after rotation. */
function ownBox(element: TimedElement): Rect {
  return boundsOf(element.box, matrixOf(element, element.box))
}

function isWithin(second: number, begin: number, end: number): boolean {
  return second >= begin - epsilonSeconds && second < end - epsilonSeconds
}

function fraction(second: number, begin: number, end: number): number {
  return end <= begin ? 1 : exact(Math.min(1, Math.max(0, (second - begin) / (end - begin))))
}
