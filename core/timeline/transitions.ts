/**
 * How ffmpeg's `xfade` combines two pictures, one entry a name: data and pure functions, no canvas.
 * The formulas follow libavfilter/vf_xfade.c (ffmpeg 5.1), whose own `progress` runs from 1 to 0
 * and is a 32-bit float; here progress runs from 0 (only `from`) to 1 (only `to`), exclusive at
 * both ends: at the ends there is nothing to combine.
 *
 * Coordinates are whole pixels from the top-left corner of the transition's box.
 */

import type { Rect } from './draw.ts'

export type Side = 'from' | 'to'

/** The transition's box, whole px. */
export type Size = { readonly width: number; readonly height: number }

/**
 * What is seen inside `clip`: `side`, moved by `dx`, `dy`. Pieces of one transition never overlap.
 */
export type Piece = {
  readonly side: Side
  readonly clip: Rect
  readonly dx: number
  readonly dy: number
}

/** A number for each pixel. One along a single axis ignores the other argument. */
export type Field = (x: number, y: number) => number

/**
 * - `mix`: one weight of `to` for the whole box.
 * - `pieces`: parts of either side, cut and moved; no pixel shows both.
 * - `mask`: a weight of `to` for each pixel, smoothstep(field + level). Only `level` moves with the
 *   progress, so a field is worked out once for a box. Unless `axis` is `both`, it is the same along
 *   the other axis.
 */
export type Transition =
  | { readonly kind: 'mix'; readonly weight: (progress: number) => number }
  | { readonly kind: 'pieces'; readonly pieces: (size: Size, progress: number) => readonly Piece[] }
  | {
      readonly kind: 'mask'
      readonly axis: 'x' | 'y' | 'both'
      readonly field: (size: Size) => Field
      readonly level: (progress: number) => number
    }

const transitions = {
  fade: { kind: 'mix', weight: (progress) => progress },

  slideleft: slide('x', -1),
  slideright: slide('x', 1),
  slideup: slide('y', -1),
  slidedown: slide('y', 1),

  wipeleft: wipe('x', -1),
  wiperight: wipe('x', 1),
  wipeup: wipe('y', -1),
  wipedown: wipe('y', 1),

  smoothleft: smooth('x', -1),
  smoothright: smooth('x', 1),
  smoothup: smooth('y', -1),
  smoothdown: smooth('y', 1),

  // 1 - smoothstep(v) is smoothstep(1 - v): the open circle is the closing one turned inside out.
  circleopen: {
    kind: 'mask',
    axis: 'both',
    field: (size) => {
      const distance = fromCentre(size)
      return (x, y) => 1 - distance(x, y)
    },
    level: (progress) => (progress - 0.5) * 3,
  },
  circleclose: {
    kind: 'mask',
    axis: 'both',
    field: fromCentre,
    level: (progress) => (progress - 0.5) * 3,
  },
} as const satisfies Record<string, Transition>

export type TransitionName = keyof typeof transitions

/** The names that are built, in the order of their families. */
export const transitionNames = Object.freeze(Object.keys(transitions)) as readonly TransitionName[]

export function isTransitionName(name: string): name is TransitionName {
  return Object.hasOwn(transitions, name)
}

export function transitionOf(name: TransitionName): Transition {
  return transitions[name]
}

/**
 * Both sides move by whole pixels; `to` pushes `from` out, `way` is the direction of the motion.
 */
function slide(axis: 'x' | 'y', way: -1 | 1): Transition {
  return {
    kind: 'pieces',
    pieces: (size, progress) => {
      const length = lengthOf(size, axis)
      const rest = wholePart(length, remaining(progress))
      const to = -way * rest
      const from = way * (length - rest)
      return [piece('from', axis, size, from), piece('to', axis, size, to)]
    },
  }
}

/** The part of a moved side that is still inside the box. */
function piece(side: Side, axis: 'x' | 'y', size: Size, by: number): Piece {
  const length = lengthOf(size, axis)
  const start = Math.max(0, by)
  const clip = band(axis, size, start, Math.min(length, length + by) - start)
  return axis === 'x' ? { side, clip, dx: by, dy: 0 } : { side, clip, dx: 0, dy: by }
}

/**
 * An edge runs over the box, `way` is its direction. The pixel at the edge belongs to the first
 * part.
 */
function wipe(axis: 'x' | 'y', way: -1 | 1): Transition {
  return {
    kind: 'pieces',
    pieces: (size, progress) => {
      const length = lengthOf(size, axis)
      const shareOfFirst = way < 0 ? remaining(progress) : 1 - remaining(progress)
      const first = Math.min(length, wholePart(length, shareOfFirst) + 1)
      const sides: readonly [Side, Side] = way < 0 ? ['from', 'to'] : ['to', 'from']
      return [
        { side: sides[0], clip: band(axis, size, 0, first), dx: 0, dy: 0 },
        { side: sides[1], clip: band(axis, size, first, length - first), dx: 0, dy: 0 },
      ]
    },
  }
}

/** A soft edge as wide as the box runs over it. */
function smooth(axis: 'x' | 'y', way: -1 | 1): Transition {
  return {
    kind: 'mask',
    axis,
    field: (size) => {
      const length = lengthOf(size, axis)
      return (x, y) => {
        const along = axis === 'x' ? x : y
        return (way < 0 ? along : length - 1 - along) / length
      }
    },
    level: (progress) => 2 * progress - 1,
  }
}

/** The distance from the middle in half diagonals, both in whole pixels as xfade counts them. */
function fromCentre({ width, height }: Size): Field {
  const centreX = Math.floor(width / 2)
  const centreY = Math.floor(height / 2)
  // A box of one pixel has no diagonal; xfade would divide by 0 there.
  const diagonal = Math.max(1, Math.hypot(centreX, centreY))
  return (x, y) => Math.sqrt((x - centreX) ** 2 + (y - centreY) ** 2) / diagonal
}

function lengthOf(size: Size, axis: 'x' | 'y'): number {
  return axis === 'x' ? size.width : size.height
}

function band(axis: 'x' | 'y', size: Size, start: number, length: number): Rect {
  return axis === 'x' ? [start, 0, length, size.height] : [0, start, size.width, length]
}

/**
 * xfade's own progress, a 32-bit float: edges land on the same pixel only with the same rounding.
 */
function remaining(progress: number): number {
  return Math.fround(1 - Math.fround(progress))
}

function wholePart(length: number, share: number): number {
  return Math.trunc(Math.fround(length * Math.fround(share)))
}

export function smoothstep(value: number): number {
  const t = Math.min(1, Math.max(0, value))
  return t * t * (3 - 2 * t)
}
