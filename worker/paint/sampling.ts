import type { Matrix, PictureCommand } from '../../core/timeline/draw.ts'
import type { Rect } from '../../core/timeline/rect.ts'
import type { BlurSigma } from './color-filter.ts'

/**
 * Reduced copy of a picture from which a command is drawn. Each level halves the size along one
 * axis, so that bilinear sampling, which reads two pixels, skips none. It follows from the command
 * alone, whatever was painted before.
 */
export type Level = {
  /** Whole pixels of the picture that contain `source`; edges of the copy repeat the inside. */
  readonly crop: Rect
  /** Number of halvings of the crop along each axis. */
  readonly x: number
  readonly y: number
}

/** 2^16 px is more than any accepted picture. */
const deepestLevel = 16

/**
 * Deviations are rounded to this fraction of a pixel of the copy. A zoom changes them invisibly in
 * each frame, and each new one would be another blur to compute.
 */
const sigmaSteps = 16

/** A blur wider than this is computed on a smaller copy: it costs less and looks the same. */
const widestSigmaPx = 3

export function levelOf(
  command: PictureCommand,
  picture: { width: number; height: number },
): Level {
  const { source, dest, matrix } = command
  const [a, b, c, d] = matrix
  return {
    crop: outset(source, picture),
    x: halvings((dest[2] / source[2]) * Math.hypot(a, b)),
    y: halvings((dest[3] / source[3]) * Math.hypot(c, d)),
  }
}

/** Returns whether the level's crop omits a part of the picture. */
export function isCut({ crop }: Level, picture: { width: number; height: number }): boolean {
  return crop[2] < picture.width || crop[3] < picture.height
}

/** Returns the most halvings that leave at least as many pixels as are drawn. */
function halvings(scale: number): number {
  let count = 0
  for (let rest = scale; rest <= 0.5 && count < deepestLevel; rest *= 2) count++
  return count
}

function outset([x, y, width, height]: Rect, picture: { width: number; height: number }): Rect {
  const left = Math.max(0, Math.floor(x))
  const top = Math.max(0, Math.floor(y))
  const right = Math.min(picture.width, Math.ceil(x + width))
  const bottom = Math.min(picture.height, Math.ceil(y + height))
  return [left, top, right - left, bottom - top]
}

export type Blur = { readonly level: Level; readonly sigma: BlurSigma }

/**
 * Returns the copy on which a command's blur is computed and the deviations there, in its px.
 * `blur` counts px of `dest`, before the matrix.
 */
export function blurOf(command: PictureCommand, level: Level): Blur {
  const blur = command.filter?.blur ?? 0
  const x = axisBlur((blur * command.source[2]) / command.dest[2], level.x)
  const y = axisBlur((blur * command.source[3]) / command.dest[3], level.y)
  return {
    level: { crop: level.crop, x: x.halvings, y: y.halvings },
    sigma: { x: x.sigma, y: y.sigma },
  }
}

function axisBlur(sourceSigma: number, from: number): { halvings: number; sigma: number } {
  let halvings = from
  let sigma = sourceSigma / 2 ** from
  while (sigma >= widestSigmaPx && halvings < deepestLevel) {
    halvings++
    sigma /= 2
  }
  return { halvings, sigma: Math.round(sigma * sigmaSteps) / sigmaSteps }
}

/** Returns `source` in px of the level's copy. */
export function sourceInLevel([x, y, width, height]: Rect, level: Level): Rect {
  const across = 2 ** level.x
  const down = 2 ** level.y
  return [(x - level.crop[0]) / across, (y - level.crop[1]) / down, width / across, height / down]
}

/**
 * Returns whether a command lands on whole pixels unturned, so that it may be scaled once and then
 * copied.
 */
export function isStill(matrix: Matrix, dest: Rect): boolean {
  const [a, b, c, d, e, f] = matrix
  return a === 1 && b === 0 && c === 0 && d === 1 && [...dest, e, f].every(Number.isInteger)
}
