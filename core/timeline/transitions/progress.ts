/**
 * The numbers of libavfilter/vf_xfade.c are 32-bit floats, and its `progress` runs from 1 to 0.
 * Edges land on the same pixel only with the same rounding.
 */

/** Returns xfade's own progress. */
export function remaining(progress: number): number {
  return Math.fround(1 - Math.fround(progress))
}

export function wholePart(length: number, share: number): number {
  return Math.trunc(Math.fround(length * Math.fround(share)))
}

/** Returns 0 up to `begin`, 1 from `end` on, smooth in between. */
export function smoothstep(value: number, begin = 0, end = 1): number {
  const t = Math.min(1, Math.max(0, (value - begin) / (end - begin)))
  return t * t * (3 - 2 * t)
}

/** Noise by pixel position, 0..1: the same on every machine and in every frame. */
export function noiseAt(x: number, y: number): number {
  const { fround } = Math
  const angle = fround(fround(x * fround(12.9898)) + fround(y * fround(78.233)))
  const value = fround(fround(Math.sin(angle)) * fround(43758.545))
  return fround(value - Math.floor(value))
}
