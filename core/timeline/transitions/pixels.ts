import {
  type Blur,
  type Contrast,
  type Greys,
  type Mix,
  type Near,
  nowhere,
  type Remap,
  type Through,
} from './kinds.ts'
import { remaining, smoothstep } from './progress.ts'

const { fround } = Math

/** Share of the progress during which a picture keeps its colours. */
const phase = 0.2

/** Weights for a transition through a third look: those of the sides, and those of what they become. */
function byWayOf(progress: number) {
  const left = remaining(progress)
  const kept = smoothstep(left, 1 - phase, 1)
  const coming = smoothstep(left, phase, 1)
  return {
    from: left * kept,
    fromGone: left * (1 - kept),
    toGone: (1 - left) * coming,
    to: (1 - left) * (1 - coming),
  }
}

export function fadeThrough(through: Through['through']): Through {
  return {
    kind: 'through',
    through,
    weights: (progress) => {
      const { from, to } = byWayOf(progress)
      return { from, to }
    },
  }
}

export const fade: Mix = { kind: 'mix', weight: (progress) => progress }

export const fadeGreys: Greys = {
  kind: 'greys',
  weights: (progress) => {
    const { from, fromGone, toGone, to } = byWayOf(progress)
    return { from, to, greyOfFrom: fromGone, greyOfTo: toGone }
  },
}

/** Changes the pixels that differ most first. */
export const fadeFast: Contrast = {
  kind: 'contrast',
  weight: (progress, apart) => remaining(progress) ** (1 + Math.log(1 + apart)),
}

/** Changes the pixels that differ least first. */
export const fadeSlow: Contrast = {
  kind: 'contrast',
  weight: (progress, apart) => remaining(progress) ** (1 + Math.log(2 - apart)),
}

export const near: Near = { kind: 'near', distance: remaining }

export const blurAcross: Blur = {
  kind: 'blur',
  reach: ({ width }, progress) => {
    const left = remaining(progress)
    const share = fround((left <= 0.5 ? left : fround(1 - left)) * 2)
    return Math.trunc(fround(1 + fround(Math.floor(width / 2) * share)))
  },
}

/** Pixelizes both sides in squares that grow to a twentieth of the shorter edge and shrink again. */
export const pixelize: Remap = {
  kind: 'remap',
  moved: 'both',
  weight: (progress) => progress,
  moves: ({ width, height }, progress, padding) => {
    const left = remaining(progress)
    const coarseness = fround(Math.ceil(fround(Math.min(left, fround(1 - left)) * 50)) / 50)
    const square = fround(fround(2 * coarseness * Math.min(width, height)) / 20)
    const middleOf = (before: number, length: number, after: number) => (at: number) => {
      const cell = Math.floor(fround(at / square))
      const middle = Math.min(fround(fround(cell + 0.5) * square), length - 1 + after)
      return Math.trunc(Math.max(-before, middle))
    }
    const { left: before, right, top, bottom } = padding
    return { columns: middleOf(before, width, right), rows: middleOf(top, height, bottom) }
  },
}

/** Squeezes `from` flat (`y`) or thin (`x`) in the middle, with `to` on both sides. */
export function squeeze(axis: 'x' | 'y'): Remap {
  return {
    kind: 'remap',
    moved: 'from',
    weight: () => 0,
    moves: ({ width, height }, progress, { left: before, right, top, bottom }) => {
      const left = remaining(progress)
      const stretched = (before: number, length: number, after: number) => (at: number) => {
        const place = fround(0.5 + fround(fround(fround(at / length) - 0.5) / left))
        const px = fround(place * (length - 1))
        const isOutside = px < -before || px > length - 1 + after
        return isOutside ? nowhere : roundHalfEven(px)
      }
      return axis === 'x'
        ? { columns: stretched(before, width, right) }
        : { rows: stretched(top, height, bottom) }
    },
  }
}

/** Grows `from` until one pixel fills the box, then fades. */
export const zoomIn: Remap = {
  kind: 'remap',
  moved: 'from',
  weight: (progress) => 1 - smoothstep(remaining(progress), 0, 0.5),
  moves: ({ width, height }, progress) => {
    const scale = fround(smoothstep(remaining(progress), 0.5, 1))
    const grown = (length: number) => (at: number) => {
      const place = fround(0.5 + fround(fround(fround(at / length) - 0.5) * scale))
      return Math.ceil(fround(place * (length - 1)))
    }
    return { columns: grown(width), rows: grown(height) }
  },
}

/** Rounds half to even, like C's lrintf by default. */
function roundHalfEven(value: number): number {
  const below = Math.floor(value)
  const rest = value - below
  if (rest !== 0.5) return Math.round(value)
  return below % 2 === 0 ? below : below + 1
}
