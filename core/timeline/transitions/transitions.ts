/**
 * Transitions of ffmpeg's `xfade` by name: data and pure functions, no canvas. The formulas follow
 * libavfilter/vf_xfade.c (ffmpeg 5.1 and, for the names it lacks, 9.0).
 */

import type { Transition } from './kinds.ts'
import {
  circle,
  circleCrop,
  diagonal,
  dissolve,
  doors,
  radial,
  slice,
  smooth,
  wind,
} from './masks.ts'
import { rectCrop, slide, wipe, wipeCorner } from './pieces.ts'
import {
  blurAcross,
  fade,
  fadeFast,
  fadeGreys,
  fadeSlow,
  fadeThrough,
  near,
  pixelize,
  squeeze,
  zoomIn,
} from './pixels.ts'

const transitions = {
  fade,
  fadeblack: fadeThrough('#000000'),
  fadewhite: fadeThrough('#ffffff'),
  fadegrays: fadeGreys,
  fadefast: fadeFast,
  fadeslow: fadeSlow,
  distance: near,
  dissolve,

  slideleft: slide('x', -1, 'both'),
  slideright: slide('x', 1, 'both'),
  slideup: slide('y', -1, 'both'),
  slidedown: slide('y', 1, 'both'),
  coverleft: slide('x', -1, 'to'),
  coverright: slide('x', 1, 'to'),
  coverup: slide('y', -1, 'to'),
  coverdown: slide('y', 1, 'to'),
  revealleft: slide('x', -1, 'from'),
  revealright: slide('x', 1, 'from'),
  revealup: slide('y', -1, 'from'),
  revealdown: slide('y', 1, 'from'),

  wipeleft: wipe('x', -1),
  wiperight: wipe('x', 1),
  wipeup: wipe('y', -1),
  wipedown: wipe('y', 1),
  wipetl: wipeCorner(-1, -1),
  wipetr: wipeCorner(1, -1),
  wipebl: wipeCorner(-1, 1),
  wipebr: wipeCorner(1, 1),

  smoothleft: smooth('x', -1),
  smoothright: smooth('x', 1),
  smoothup: smooth('y', -1),
  smoothdown: smooth('y', 1),
  diagtl: diagonal(-1, -1),
  diagtr: diagonal(1, -1),
  diagbl: diagonal(-1, 1),
  diagbr: diagonal(1, 1),
  vertopen: doors('x', 'open'),
  vertclose: doors('x', 'close'),
  horzopen: doors('y', 'open'),
  horzclose: doors('y', 'close'),
  circleopen: circle('open'),
  circleclose: circle('close'),
  radial,

  circlecrop: circleCrop,
  rectcrop: rectCrop,

  hlslice: slice('x', -1),
  hrslice: slice('x', 1),
  vuslice: slice('y', -1),
  vdslice: slice('y', 1),
  hlwind: wind('x', -1),
  hrwind: wind('x', 1),
  vuwind: wind('y', -1),
  vdwind: wind('y', 1),

  hblur: blurAcross,
  pixelize,
  squeezeh: squeeze('y'),
  squeezev: squeeze('x'),
  zoomin: zoomIn,
} as const satisfies Record<string, Transition>

export type TransitionName = keyof typeof transitions

/** All names of the language, in the order of their families. */
export const transitionNames = Object.freeze(Object.keys(transitions)) as readonly TransitionName[]

/** Returns a transition. Throws for an unknown name: the painter's input has been checked. */
export function transitionOf(name: string): Transition {
  if (!Object.hasOwn(transitions, name)) {
    throw new Error(`A transition must be one of ${transitionNames.join(', ')}. Got ${name}`)
  }
  return transitions[name as TransitionName]
}
