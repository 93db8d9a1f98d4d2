/** Repeatable randomness for the artwork: the same seed gives the same picture on every machine. */

/** Mulberry32: numbers in 0..1. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

/** Returns a value in 0..1 for a lattice point. */
function lattice(x: number, y: number, seed: number): number {
  let h = Math.imul(x, 374761393) + Math.imul(y, 668265263) + Math.imul(seed, 2246822519)
  h = Math.imul(h ^ (h >>> 13), 1274126177)
  return ((h ^ (h >>> 16)) >>> 0) / 4294967296
}

/** Value noise in 0..1, smooth between the points of the integer lattice. */
export function noise(x: number, y: number, seed: number): number {
  const left = Math.floor(x)
  const top = Math.floor(y)
  const u = smooth(x - left)
  const v = smooth(y - top)
  const above = mix(lattice(left, top, seed), lattice(left + 1, top, seed), u)
  const below = mix(lattice(left, top + 1, seed), lattice(left + 1, top + 1, seed), u)
  return mix(above, below, v)
}

/** Fractal noise in 0..1: `octaves` layers, each twice as fine and half as strong. */
export function fractal(
  x: number,
  y: number,
  { seed, octaves }: { seed: number; octaves: number },
): number {
  let sum = 0
  let strength = 0.5
  let total = 0
  for (let octave = 0; octave < octaves; octave += 1) {
    const scale = 2 ** octave
    sum += strength * noise(x * scale + octave * 17.3, y * scale - octave * 9.1, seed + octave)
    total += strength
    strength /= 2
  }
  return sum / total
}

export function mix(from: number, to: number, share: number): number {
  return from + (to - from) * share
}

export function smooth(share: number): number {
  return share * share * (3 - 2 * share)
}

/** Returns 0 below `from`, 1 above `to`, smooth between. */
export function step(from: number, to: number, value: number): number {
  return smooth(Math.min(1, Math.max(0, (value - from) / (to - from))))
}
