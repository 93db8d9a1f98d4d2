/**
 * What a transition can be. Coordinates are whole pixels from the top-left corner of the
 * transition's box, and may lie outside of it (`Padding`); progress runs from 0 (only `from`) to 1 (only `to`), exclusive at both ends: at
 * the ends there is nothing to combine. A weight is a share of the picture, 0..1.
 */

import type { Rect } from './draw.ts'

export type Side = 'from' | 'to'

/** What a part of the box can show; `black` is opaque. */
export type Source = Side | 'black'

/** The transition's box, whole px. */
export type Size = { readonly width: number; readonly height: number }

/** How far what is seen of the sides reaches beyond the box, whole px. */
export type Padding = {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

/**
 * What is seen inside `clip`: `source`, moved by `dx`, `dy`. Pieces of one transition never overlap.
 */
export type Piece = {
  readonly source: Source
  readonly clip: Rect
  readonly dx: number
  readonly dy: number
}

/**
 * A number for each pixel, of the box or around it. One along a single axis ignores the other argument. Around the
 * box no field goes beyond what it is inside: what hangs out opens no later than the box's edges do.
 */
export type Field = (x: number, y: number) => number

/** One weight of `to` for the whole box. */
export type Mix = { readonly kind: 'mix'; readonly weight: (progress: number) => number }

/**
 * Parts of either side, cut and moved; no pixel shows both. Unless `axis` is `both`, cuts and moves are
 * the same along the other axis.
 */
export type Pieces = {
  readonly kind: 'pieces'
  readonly axis: 'x' | 'y' | 'both'
  readonly pieces: (size: Size, progress: number) => readonly Piece[]
}

/**
 * A weight of the second source for each pixel, from the sum of its field and the level: with a
 * `soft` edge smoothstep(sum), with a `hard` one 1 where the sum is over 0. Only `level` moves
 * with the progress, so a field is worked out once for a box. Unless `axis` is `both`, it is the
 * same along the other axis.
 */
export type Mask = {
  readonly kind: 'mask'
  readonly axis: 'x' | 'y' | 'both'
  readonly edge: 'soft' | 'hard'
  readonly sources: (progress: number) => readonly [first: Source, second: Source]
  readonly field: (size: Size) => Field
  readonly level: (progress: number) => number
}

/** Which column or row of a side is shown at one of the box or around it; `nowhere`: only `to`, where it is. */
export type Move = (at: number) => number
export const nowhere = -0x80000000

/** An absent move changes nothing along that axis. */
export type Moves = { readonly columns?: Move; readonly rows?: Move }

/**
 * The pixels of `moved` come from elsewhere in their picture, then both sides are mixed, `to` with
 * `weight`.
 */
export type Remap = {
  readonly kind: 'remap'
  readonly moved: 'from' | 'both'
  readonly moves: (size: Size, progress: number, padding: Padding) => Moves
  readonly weight: (progress: number) => number
}

/** Each pixel is the mean of itself and those right of it, `reach` in all; `to` weighs as much as the progress. */
export type Blur = {
  readonly kind: 'blur'
  readonly reach: (size: Size, progress: number) => number
}

/** The weights of the sides; the rest is `through`. */
export type Through = {
  readonly kind: 'through'
  readonly through: '#000000' | '#ffffff'
  readonly weights: (progress: number) => Readonly<Record<Side, number>>
}

/** The weights of both sides and of their greys (the mean of red, green and blue). */
export type Greys = {
  readonly kind: 'greys'
  readonly weights: (
    progress: number,
  ) => Readonly<Record<'from' | 'to' | 'greyOfFrom' | 'greyOfTo', number>>
}

/**
 * Pixels whose colours lie within `distance` of each other (of 2, that of transparent from opaque
 * white) are mixed, `to` with the progress as its weight; the others are `to` already.
 */
export type Near = { readonly kind: 'near'; readonly distance: (progress: number) => number }

/** The weight of `from` for each channel of each pixel, by how far both sides are apart there, 0..1. */
export type Contrast = {
  readonly kind: 'contrast'
  readonly weight: (progress: number, apart: number) => number
}

/** Those whose pixels must be read to be combined. */
export type PixelTransition = Remap | Blur | Through | Greys | Near | Contrast

export type Transition = Mix | Pieces | Mask | PixelTransition
