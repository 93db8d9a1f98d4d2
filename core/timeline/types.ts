import type { ResolvedSubtitle } from '../project/resolved.ts'
import type { ColorFilter, Pixels, Radii, StillPixels } from './draw.ts'
import type { Rect } from './rect.ts'

/**
 * The resolved project on one clock, with every size known: the input of `describeFrame`. Seconds
 * are absolute film time. Lists are in painting order, bottom first.
 */
export type Timeline = {
  readonly width: number
  readonly height: number
  readonly frameRate: number
  readonly frames: number
  /** Film second of frame 0: 0, or a still's `snapshotTime`. */
  readonly firstSecond: number
  /** null = transparent (stills only). */
  readonly background: string | null
  readonly scenes: readonly TimedScene[]
  /** Project visuals, above all scenes. */
  readonly elements: readonly TimedElement[]
  /** Lines of the subtitle, above everything else; absent = no subtitle. */
  readonly captions?: readonly TimedCaption[]
}

export type TimedScene = {
  readonly begin: number
  readonly end: number
  readonly background: string
  /** Transition into the next scene, which begins `seconds` before this one's end. */
  readonly transition: { readonly name: string; readonly seconds: number } | null
  readonly elements: readonly TimedElement[]
}

/**
 * Animation frames: `order[k]` is the one of `shown` at k / `frameRate` seconds after `begin`; the
 * last is held.
 */
export type Moments = {
  readonly frameRate: number
  readonly shown: readonly Pick<TimedElement, 'pixels' | 'source' | 'dest'>[]
  readonly order: readonly number[]
}

/** An element, shown from `begin` until `end` (excluded). */
export type TimedElement = {
  readonly field: string
  readonly begin: number
  readonly enterEnd: number
  readonly exitBegin: number
  /** End of the exit. The element is gone by then, or earlier with its container. */
  readonly exitEnd: number
  readonly end: number
  readonly enter: string | null
  readonly exit: string | null
  /** Pixels to draw; for a clip, its first frame that plays. */
  readonly pixels: Pixels
  /** Playback of the element's clip. */
  readonly play?: Play
  /** Animation frames to show instead, while custom code moves it. */
  readonly moments?: Moments
  /** Link to the clip that replaces this one; the element ends with the link. */
  readonly link?: Link
  /** Part of the picture that is drawn, px of the picture. */
  readonly source: Rect
  /** Destination of that part, canvas px, before rotation and zoom. */
  readonly dest: Rect
  /** The element's box: it turns, flips and zooms about its centre. */
  readonly box: Rect
  /** Corner radii of the visible part, when any is above 0 or the zoom needs clipping. */
  readonly clip?: { readonly rect: Rect; readonly radii: Radii }
  readonly opacity: number
  readonly angle: number
  readonly flipH: boolean
  readonly flipV: boolean
  /** 1 = none. */
  readonly zoomDepth: number
  readonly filter?: ColorFilter
}

/**
 * Playback of an element's clip. A pure function maps a frame of the film to a frame of the clip,
 * wherever it is painted.
 */
export type Play = {
  /** Frames a second of the clip's constant-rate sequence, a fraction. */
  readonly frameRate: readonly [number, number]
  /** Clip second at the element's begin. */
  readonly from: number
  /** Clip seconds in a film second. */
  readonly speed: number
  /** First and last frame of the sequence that play; both are held outside. */
  readonly first: number
  readonly last: number
  /** Most distinct frames in a second of the clip. */
  readonly ownRate?: number
  /** Restarts after the last frame. */
  readonly loops: boolean
}

/**
 * The clip at `into` (index in the same list) replaces this one from `begin` to `end`, seconds of
 * the film.
 */
export type Link = {
  readonly into: number
  readonly name: string
  readonly begin: number
  readonly end: number
}

/** A line of a subtitle, shown from `begin` until `end` (excluded); canvas px. */
export type TimedCaption = {
  readonly begin: number
  readonly end: number
  readonly animation: ResolvedSubtitle['animation']
  readonly direction: ResolvedSubtitle['direction']
  /** Background alone, below everything. */
  readonly plate?: CaptionPicture
  /** All words as they are, and all as the active word. */
  readonly plain: CaptionPicture
  readonly active?: CaptionPicture
  /** Distance of the slide. */
  readonly slidePx: number
  readonly parts: readonly TimedPart[]
}

export type CaptionPicture = { readonly pixels: StillPixels; readonly dest: Rect }

/**
 * A word, or letters. Its `cells` are its own part of the pictures, whole px; all cells together
 * cover them.
 */
export type TimedPart = {
  readonly begin: number
  readonly end: number
  readonly cells: readonly Cell[]
  /** Direction of the sweep. */
  readonly rightToLeft: boolean
}

/** `box`: bounds of the letters; `rect`: up to the middle of the gaps around them. */
export type Cell = { readonly rect: Rect; readonly box: Rect }
