import type { Matrix, PictureCommand } from './draw.ts'
import { exact } from './exact.ts'
import type { Rect } from './rect.ts'
import type { CaptionPicture, Cell, TimedCaption, TimedPart } from './types.ts'

/** Times are sums of decimals; two that differ by less are equal. */
const epsilonSeconds = 1e-6

/** Durations and sizes of the animations (open-parts.md, Subtitle). */
const fadeSeconds = 0.15
const slideSeconds = 0.3
const popSeconds = 0.24
const popScales = [1.3, 1.18] as const
const bounceSeconds = 0.36
const bounceScales = [1.35, 0.92, 1.08, 1] as const

/** Returns what a subtitle's lines paint at `second` of the film. */
export function captionCommands(
  captions: readonly TimedCaption[],
  second: number,
): PictureCommand[] {
  return captions.flatMap((caption) => {
    const { begin, end } = caption
    if (second < begin - epsilonSeconds || second >= end - epsilonSeconds) return []
    return lineCommands(caption, second)
  })
}

function lineCommands(caption: TimedCaption, second: number): PictureCommand[] {
  const { plate, animation, begin } = caption
  const looks = caption.parts.map((part) => lookOf(part, caption, second))
  const pieces = looks.flatMap((look, i) => piecesOf(look, caption.parts[i] as TimedPart, caption))
  const flat = joined(pieces.filter(({ scale }) => scale === 1))
  // Grown parts lie over their neighbours.
  const grown = pieces.filter(({ scale }) => scale !== 1)
  const commands = [
    ...(plate ? [drawn({ picture: plate, rect: plate.dest, opacity: 1 })] : []),
    ...[...flat, ...grown].map(drawn),
  ].filter((command) => command !== undefined)
  return animation === 'slide' ? slid(commands, caption, second - begin) : commands
}

/** Look of a part. `swept`: active share, 0..1; `scale`: of its active picture. */
type Look = { readonly swept: number; readonly opacity: number; readonly scale: number }

const asItIs: Look = { swept: 0, opacity: 1, scale: 1 }
const hidden: Look = { ...asItIs, opacity: 0 }

function lookOf(part: TimedPart, { animation, active }: TimedCaption, second: number): Look {
  const since = exact(second - part.begin)
  const begun = since >= -epsilonSeconds
  const isActive = begun && second < part.end - epsilonSeconds
  const restyled: Look = { ...asItIs, swept: isActive && active ? 1 : 0 }
  switch (animation) {
    case 'normal':
    case 'none':
      return asItIs
    case 'one-word':
      return { ...asItIs, swept: active ? 1 : 0 }
    case 'karaoke':
    case 'highlight':
    case 'slide':
      return restyled
    case 'progressive':
      return begun ? restyled : hidden
    case 'typewriter':
      return begun ? asItIs : hidden
    case 'fill':
      return { ...asItIs, swept: exact(between01(since / (part.end - part.begin || 1))) }
    case 'pop':
      return isActive ? { ...restyled, scale: popScale(since) } : asItIs
    case 'bounce':
      return isActive ? { ...restyled, scale: bounceScale(since) } : asItIs
    case 'fade':
      return { ...restyled, opacity: exact(between01(since / fadeSeconds)) }
    default:
      return animation satisfies never
  }
}

function popScale(since: number): number {
  return alongScales(popScales, since / popSeconds)
}

function bounceScale(since: number): number {
  return alongScales(bounceScales, since / bounceSeconds)
}

/** Interpolates along the scales, each step taking the same time. */
function alongScales(scales: readonly number[], progress: number): number {
  const at = between01(progress) * (scales.length - 1)
  const step = Math.min(Math.floor(at), scales.length - 2)
  const [from = 1, to = 1] = scales.slice(step, step + 2)
  return exact(from + (to - from) * (at - step))
}

const between01 = (value: number) => Math.min(1, Math.max(0, value))

/** A rectangle of one picture, canvas px. */
type Piece = {
  readonly picture: CaptionPicture
  readonly rect: Rect
  readonly opacity: number
  readonly scale: number
  /** Centre of the scaling. */
  readonly centre: readonly [number, number]
}

function piecesOf(
  { swept, opacity, scale }: Look,
  part: TimedPart,
  caption: TimedCaption,
): Piece[] {
  if (opacity === 0) return []
  const { plain, active = plain } = caption
  const shared = { opacity, scale, centre: centreOf(part.cells) }
  return sweep(part, swept).flatMap(({ done, left }) => [
    ...(done[2] > 0 ? [{ ...shared, picture: active, rect: done }] : []),
    ...(left[2] > 0 ? [{ ...shared, picture: plain, rect: left }] : []),
  ])
}

/** Divides the cells into the swept and the remaining part, at a whole px of their letters. */
function sweep({ cells, rightToLeft }: TimedPart, swept: number): { done: Rect; left: Rect }[] {
  const total = cells.reduce((sum, { box }) => sum + box[2], 0)
  let rest = Math.round(total * swept)
  return cells.map(({ rect: [x, y, width, height], box }) => {
    const px = Math.min(rest, box[2])
    rest -= px
    // The gaps belong to the part that has not begun, or is over.
    const share =
      px === 0
        ? 0
        : px === box[2]
          ? width
          : rightToLeft
            ? x + width - box[0] - box[2] + px
            : box[0] - x + px
    const done: Rect = [rightToLeft ? x + width - share : x, y, share, height]
    const left: Rect = [rightToLeft ? x : x + share, y, width - share, height]
    return { done, left }
  })
}

function centreOf(cells: readonly Cell[]): readonly [number, number] {
  const left = Math.min(...cells.map(({ box }) => box[0]))
  const top = Math.min(...cells.map(({ box }) => box[1]))
  const right = Math.max(...cells.map(({ box }) => box[0] + box[2]))
  const bottom = Math.max(...cells.map(({ box }) => box[1] + box[3]))
  return [(left + right) / 2, (top + bottom) / 2]
}

/** Joins equal-looking neighbours of a row, so that they are drawn at once. */
function joined(pieces: readonly Piece[]): Piece[] {
  const runs: Piece[] = []
  for (const piece of pieces) {
    const at = runs.findIndex((run) => isNextTo(run, piece))
    const run = runs[at]
    if (!run) {
      runs.push(piece)
      continue
    }
    const x = Math.min(run.rect[0], piece.rect[0])
    const width = run.rect[2] + piece.rect[2]
    runs[at] = { ...run, rect: [x, run.rect[1], width, run.rect[3]] }
  }
  return runs
}

function isNextTo(run: Piece, piece: Piece): boolean {
  const [x, y, width, height] = run.rect
  const [px, py, across, down] = piece.rect
  if (run.picture !== piece.picture || run.opacity !== piece.opacity) return false
  return y === py && height === down && (x + width === px || px + across === x)
}

const identity: Matrix = [1, 0, 0, 1, 0, 0]

/** Returns undefined where the picture is empty. */
function drawn({
  picture,
  rect,
  opacity,
  scale = 1,
  centre = [0, 0],
}: Pick<Piece, 'picture' | 'rect' | 'opacity'> & Partial<Piece>): PictureCommand | undefined {
  const { pixels, dest } = picture
  const left = Math.max(rect[0], dest[0])
  const top = Math.max(rect[1], dest[1])
  const width = Math.min(rect[0] + rect[2], dest[0] + dest[2]) - left
  const height = Math.min(rect[1] + rect[3], dest[1] + dest[3]) - top
  if (width <= 0 || height <= 0) return undefined
  const [cx, cy] = centre
  return {
    op: 'picture',
    pixels,
    source: [left - dest[0], top - dest[1], width, height],
    dest: [
      exact(cx + (left - cx) * scale),
      exact(cy + (top - cy) * scale),
      exact(width * scale),
      exact(height * scale),
    ],
    matrix: identity,
    opacity,
  }
}

/** Slides the line in: it decelerates, and is opaque before it arrives. */
function slid(
  commands: readonly PictureCommand[],
  { direction, slidePx }: TimedCaption,
  since: number,
): PictureCommand[] {
  if (since >= slideSeconds - epsilonSeconds) return [...commands]
  // Whole px, so that its pieces have no seams.
  const away = Math.round(slidePx * (1 - between01(since / slideSeconds)) ** 2)
  const opacity = exact(between01(since / fadeSeconds))
  const [dx, dy] = {
    up: [0, away],
    down: [0, -away],
    left: [away, 0],
    right: [-away, 0],
  }[direction] as [number, number]
  if (opacity === 0) return []
  return commands.map((command) => ({
    ...command,
    dest: [command.dest[0] + dx, command.dest[1] + dy, command.dest[2], command.dest[3]],
    opacity: exact(command.opacity * opacity),
  }))
}
