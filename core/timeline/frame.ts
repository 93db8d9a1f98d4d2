import type { DrawCommand, FrameDescription, Matrix, PictureCommand, Rect } from './draw.ts'
import type { TimedElement, TimedScene, Timeline } from './timeline.ts'

/** Times are sums of decimals; two that differ by less are the same moment. */
const epsilonSeconds = 1e-6

/**
 * What frame `n` (0-based) shows: a pure function of the timeline and n. Frame n stands for the
 * moment n / frameRate.
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
  return { width: timeline.width, height: timeline.height, commands }
}

type Moment = { readonly second: number; readonly canvas: Rect }

/** One scene, or two of which the second is replacing the first. */
function sceneCommands(scenes: readonly TimedScene[], at: Moment): DrawCommand[] {
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

function paintScene(scene: TimedScene, at: Moment): DrawCommand[] {
  return [
    { op: 'fill', rect: at.canvas, color: scene.background },
    ...elementCommands(scene.elements, at),
  ]
}

function elementCommands(elements: readonly TimedElement[], at: Moment): DrawCommand[] {
  return elements
    .filter((element) => isWithin(at.second, element.begin, element.end) && element.opacity > 0)
    .flatMap((element) => animate(element, at) ?? [])
}

/** The element's picture, wrapped in its enter and exit while they last. */
function animate(element: TimedElement, at: Moment): DrawCommand | undefined {
  const picture = drawElement(element, at.second)
  const box = boundsOf(picture)
  if (!overlaps(box, at.canvas)) return undefined
  let command: DrawCommand = picture
  if (element.enter !== null && isWithin(at.second, element.begin, element.enterEnd)) {
    const progress = fraction(at.second, element.begin, element.enterEnd)
    command = { op: 'transition', name: element.enter, progress, box, from: [], to: [command] }
  }
  if (element.exit !== null && isWithin(at.second, element.exitBegin, element.end)) {
    const progress = fraction(at.second, element.exitBegin, element.end)
    command = { op: 'transition', name: element.exit, progress, box, from: [command], to: [] }
  }
  return command
}

function drawElement(element: TimedElement, second: number): PictureCommand {
  const { pixels, source, clip, opacity, filter } = element
  const scale = 1 + (element.zoomDepth - 1) * fraction(second, element.begin, element.end)
  return {
    op: 'picture',
    pixels,
    source,
    dest: scale === 1 ? element.dest : scaled(element.dest, element.box, scale),
    ...(clip && { clip }),
    matrix: matrixOf(element),
    opacity,
    ...(filter && { filter }),
  }
}

/** `rect` scaled about the centre of `box`. */
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

const identity: Matrix = [1, 0, 0, 1, 0, 0]

/** Flip, then turn clockwise by `angle`, both about the centre of the box. */
function matrixOf(element: TimedElement): Matrix {
  const { angle, flipH, flipV, box } = element
  if (angle % 360 === 0 && !flipH && !flipV) return identity
  const cx = box[0] + box[2] / 2
  const cy = box[1] + box[3] / 2
  const [cos, sin] = cosAndSin(angle)
  const sx = flipH ? -1 : 1
  const sy = flipV ? -1 : 1
  const a = cos * sx
  const b = sin * sx
  const c = -sin * sy
  const d = cos * sy
  return [a, b, c, d, cx - a * cx - c * cy, cy - b * cx - d * cy]
}

/** Exact for quarter turns, so that they stay on whole pixels. */
function cosAndSin(degrees: number): readonly [number, number] {
  const quarter = (((degrees % 360) + 360) % 360) / 90
  switch (quarter) {
    case 0:
      return [1, 0]
    case 1:
      return [0, 1]
    case 2:
      return [-1, 0]
    case 3:
      return [0, -1]
    default: {
      const radians = (degrees * Math.PI) / 180
      return [Math.cos(radians), Math.sin(radians)]
    }
  }
}

/** The whole-pixel box around what a picture command paints, after its matrix. */
function boundsOf({ dest, clip, matrix }: PictureCommand): Rect {
  const [x, y, width, height] = clip?.rect ?? dest
  const corners = [
    [x, y],
    [x + width, y],
    [x, y + height],
    [x + width, y + height],
  ] as const
  const [a, b, c, d, e, f] = matrix
  const xs = corners.map(([px, py]) => a * px + c * py + e)
  const ys = corners.map(([px, py]) => b * px + d * py + f)
  const left = Math.floor(Math.min(...xs) + epsilonPx)
  const top = Math.floor(Math.min(...ys) + epsilonPx)
  const right = Math.ceil(Math.max(...xs) - epsilonPx)
  const bottom = Math.ceil(Math.max(...ys) - epsilonPx)
  return [left, top, Math.max(1, right - left), Math.max(1, bottom - top)]
}

/** A matrix leaves edges a hair beside whole pixels; they are on them. */
const epsilonPx = 1e-6

function overlaps(a: Rect, b: Rect): boolean {
  return a[0] < b[0] + b[2] && b[0] < a[0] + a[2] && a[1] < b[1] + b[3] && b[1] < a[1] + a[3]
}

function isWithin(second: number, begin: number, end: number): boolean {
  return second >= begin - epsilonSeconds && second < end - epsilonSeconds
}

function fraction(second: number, begin: number, end: number): number {
  return end <= begin ? 1 : exact(Math.min(1, Math.max(0, (second - begin) / (end - begin))))
}

/**
 * The same movement gives the same numbers wherever in the film it stands: sums of decimals differ
 * in their last bits, far below what is seen.
 */
function exact(value: number): number {
  return Math.round(value * 1e6) / 1e6
}
