import type { Size } from '../rect.ts'
import type { Field, Mask } from './kinds.ts'
import { noiseAt, remaining } from './progress.ts'

type Axis = 'x' | 'y'
type Way = -1 | 1

const bothSides = () => ['from', 'to'] as const
const soft = { kind: 'mask', edge: 'soft', sources: bothSides } as const
const hard = { kind: 'mask', edge: 'hard', sources: bothSides } as const
const twice = (progress: number) => 2 * progress - 1

/** Moves a soft edge, as wide as the box, over it. */
export function smooth(axis: Axis, way: Way): Mask {
  return {
    ...soft,
    axis,
    field: (size) => along(axis, size, way),
    level: twice,
  }
}

/** Moves a soft edge from the corner that both ways point away from. */
export function diagonal(across: Way, down: Way): Mask {
  return {
    ...soft,
    axis: 'both',
    field: (size) => {
      const shareX = along('x', size, across)
      const shareY = along('y', size, down)
      return (x, y) => shareX(x, y) * shareY(x, y)
    },
    level: twice,
  }
}

/** Moves two soft edges from the middle outwards (`open`) or from outside to the middle. */
export function doors(axis: Axis, way: 'open' | 'close'): Mask {
  return {
    ...soft,
    axis,
    field: (size) => {
      const half = lengthOf(size, axis) / 2
      return (x, y) => {
        const distance = Math.min(1, Math.abs(((axis === 'x' ? x : y) - half) / half))
        return way === 'open' ? 1 - distance : distance
      }
    },
    level: twice,
  }
}

/**
 * Opens or closes a soft circle. 1 - smoothstep(v) is smoothstep(1 - v): open is close turned inside out.
 */
export function circle(way: 'open' | 'close'): Mask {
  return {
    ...soft,
    axis: 'both',
    field: (size) => {
      const distance = fromCentre(size)
      return way === 'open' ? (x, y) => 1 - distance(x, y) : distance
    },
    level: (progress) => (progress - 0.5) * 3,
  }
}

/** Closes a circle over `from` and opens it over `to`; black around it. */
export const circleCrop: Mask = {
  ...hard,
  axis: 'both',
  sources: (progress) => [remaining(progress) < 0.5 ? 'to' : 'from', 'black'],
  field: fromCentre,
  level: (progress) => -(Math.abs(2 * remaining(progress) - 1) ** 3),
}

/** Sweeps a soft clock hand, one radian wide, around the middle. */
export const radial: Mask = {
  ...soft,
  axis: 'both',
  field: ({ width, height }) => {
    const centreX = Math.floor(width / 2)
    const centreY = Math.floor(height / 2)
    return (x, y) => Math.atan2(x - centreX, y - centreY)
  },
  level: (progress) => (progress - 0.5) * Math.PI * 2.5,
}

const slices = 10
const sliceSweep = 1.5

/**
 * Closes ten blinds one after the other. A pixel has changed when smoothstep(-0.5, 0, share -
 * sweep) has passed its place in its blind; solved for the sweep, that is a threshold.
 */
export function slice(axis: Axis, way: Way): Mask {
  return {
    ...hard,
    axis,
    field: (size) => {
      const shareOf = along(axis, size, way)
      return (x, y) => {
        const share = shareOf(x, y)
        const { fround } = Math
        const place = fround(fround(slices * share) - Math.floor(fround(slices * share)))
        return share + 0.5 - 0.5 * inverseSmoothstep(place)
      }
    },
    level: (progress) => -sliceSweep * remaining(progress),
  }
}

/** Changes every pixel at its own time. */
export const dissolve: Mask = {
  ...hard,
  axis: 'both',
  field: () => (x, y) => -noiseAt(x, y),
  level: (progress) => progress,
}

/** Moves a soft edge of a fifth of the box, each line of pixels with its own lead. */
export function wind(axis: Axis, way: Way): Mask {
  return {
    ...soft,
    axis: 'both',
    field: (size) => {
      const lines = axis === 'x' ? size.height : size.width
      const leadOf = (line: number) => (axis === 'x' ? noiseAt(0, line) : noiseAt(line, 0))
      const leads = Float32Array.from({ length: lines }, (_, line) => leadOf(line))
      const length = lengthOf(size, axis)
      return (x, y) => {
        const share = within(axis === 'x' ? x : y, length) / length
        const line = axis === 'x' ? y : x
        const lead = leads[line] ?? leadOf(line)
        return -4 * (way < 0 ? 1 - share : share) - lead
      }
    },
    level: (progress) => 6 * progress,
  }
}

/** Runs from 0 to nearly 1 against the direction of `way`. */
function along(axis: Axis, size: Size, way: Way): Field {
  const length = lengthOf(size, axis)
  return (x, y) => {
    const at = within(axis === 'x' ? x : y, length)
    return Math.fround((way < 0 ? at : length - 1 - at) / length)
  }
}

/** Distance from the middle in half diagonals, both in whole pixels as xfade counts them. */
function fromCentre({ width, height }: Size): Field {
  const centreX = Math.floor(width / 2)
  const centreY = Math.floor(height / 2)
  // A box of one pixel has no diagonal; xfade would divide by 0 there.
  const diagonalPx = Math.max(1, Math.hypot(centreX, centreY))
  return (x, y) => Math.min(1, Math.sqrt((x - centreX) ** 2 + (y - centreY) ** 2) / diagonalPx)
}

/** Clamps to the nearest column or row of the box. */
function within(at: number, length: number): number {
  return Math.min(length - 1, Math.max(0, at))
}

function inverseSmoothstep(value: number): number {
  return 0.5 - Math.sin(Math.asin(1 - 2 * value) / 3)
}

function lengthOf(size: Size, axis: Axis): number {
  return axis === 'x' ? size.width : size.height
}
