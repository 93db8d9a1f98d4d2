/**
 * Kinds of transitions. Coordinates are whole pixels from the top-left corner of the transition's
 * box, and may lie outside of it (`Padding`). Progress runs from 0 (only `from`) to 1 (only `to`),
 * both excluded: there is nothing to combine at the ends. A weight is a share of the picture, 0..1.
 */

import type { Padding, Rect, Size } from '../rect.ts'

export type Side = 'from' | 'to'

/** Content of a part of the box; `black` is opaque. */
export type Source = Side | 'black'

/** Shows `source` inside `clip`, moved by `dx`, `dy`. Pieces of one transition never overlap. */
export type Piece = {
  readonly source: Source
  readonly clip: Rect
  readonly dx: number
  readonly dy: number
}

/**
 * A number for each pixel, in the box or around it. A field along a single axis ignores the other
 * argument. Around the box no field exceeds its values inside, so the padding opens no later than
 * the box's edges do.
 */
export type Field = (x: number, y: number) => number

/** One weight of `to` for the whole box. */
export type Mix = { readonly kind: 'mix'; readonly weight: (progress: number) => number }

/**
 * Parts of either side, cut and moved; no pixel shows both. Unless `axis` is `both`, cuts and moves
 * are the same along the other axis.
 */
export type Pieces = {
  readonly kind: 'pieces'
  readonly axis: 'x' | 'y' | 'both'
  readonly pieces: (size: Size, progress: number) => readonly Piece[]
}

/**
 * A weight of the second source for each pixel, from the sum of its field and the level. A `soft`
 * edge is smoothstep(sum); a `hard` one is 1 where the sum is over 0. Only `level` depends on the
 * progress, so a field is computed once for a box. Unless `axis` is `both`, it is the same along
 * the other axis.
 */
export type Mask = {
  readonly kind: 'mask'
  readonly axis: 'x' | 'y' | 'both'
  readonly edge: 'soft' | 'hard'
  readonly sources: (progress: number) => readonly [first: Source, second: Source]
  readonly field: (size: Size) => Field
  readonly level: (progress: number) => number
}

/**
 * Maps a column or row of the box, or around it, to the one of a side that is shown; `nowhere`:
 * only `to`, unmoved.
 */
export type Move = (at: number) => number
export const nowhere = -0x80000000

/** Moves by axis; an absent one changes nothing. */
export type Moves = { readonly columns?: Move; readonly rows?: Move }

/** Remaps the pixels of `moved` within their picture, then mixes both sides, `to` with `weight`. */
export type Remap = {
  readonly kind: 'remap'
  readonly moved: 'from' | 'both'
  readonly moves: (size: Size, progress: number, padding: Padding) => Moves
  readonly weight: (progress: number) => number
}

/**
 * Replaces each pixel by the mean of `reach` pixels, itself and those right of it; the weight of
 * `to` is the progress.
 */
export type Blur = {
  readonly kind: 'blur'
  readonly reach: (size: Size, progress: number) => number
}

/** Weights of the sides; the rest is `through`. */
export type Through = {
  readonly kind: 'through'
  readonly through: '#000000' | '#ffffff'
  readonly weights: (progress: number) => Readonly<Record<Side, number>>
}

/** Weights of both sides and of their greys (the mean of red, green and blue). */
export type Greys = {
  readonly kind: 'greys'
  readonly weights: (
    progress: number,
  ) => Readonly<Record<'from' | 'to' | 'greyOfFrom' | 'greyOfTo', number>>
}

/**
 * Mixes pixels whose colours lie within `distance` of each other, `to` with the progress as its
 * weight. The others are `to` already. The largest distance is 2, from transparent to opaque white.
 */
export type Near = { readonly kind: 'near'; readonly distance: (progress: number) => number }

/** Weight of `from` for each channel of each pixel, by the difference of both sides there, 0..1. */
export type Contrast = {
  readonly kind: 'contrast'
  readonly weight: (progress: number, apart: number) => number
}

/** Transitions that must read pixels to combine them. */
export type PixelTransition = Remap | Blur | Through | Greys | Near | Contrast

export type Transition = Mix | Pieces | Mask | PixelTransition
