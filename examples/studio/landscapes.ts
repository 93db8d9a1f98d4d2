import type { Canvas } from '@napi-rs/canvas'
import { fractal, noise, smooth, step } from './noise.ts'
import { add, blend, paint, type Rgb, ramp } from './picture.ts'

const width = 1600
const height = 900
const aspect = width / height

/** Ranges of hills in the mist, the sun just above the far one. */
export function dawn(): Canvas {
  const sky: readonly (readonly [number, Rgb])[] = [
    [0, [38, 44, 92]],
    [0.26, [112, 92, 142]],
    [0.46, [232, 146, 128]],
    [0.6, [255, 206, 150]],
    [0.75, [255, 224, 182]],
  ]
  const sun = { u: 1.2, v: 0.5 }
  const ranges = [0.56, 0.63, 0.7, 0.78, 0.87, 0.97]
  const far: Rgb = [236, 166, 142]
  const near: Rgb = [26, 22, 48]
  return paint({ width, height, grain: 5, seed: 1 }, (u, v) => {
    for (let index = ranges.length - 1; index >= 0; index -= 1) {
      const base = ranges[index] ?? 1
      const roughness = 1.6 + index * 0.5
      const ridge =
        base -
        0.24 * (fractal(u * roughness + index * 7.7, 0.5, { seed: 40 + index, octaves: 6 }) - 0.42)
      if (v < ridge) continue
      const nearness = index / (ranges.length - 1)
      const ground = blend(far, near, nearness ** 0.75)
      const depth = Math.min(1, (v - ridge) / 0.16)
      const patches = fractal(u * 3, v * 9, { seed: 60 + index, octaves: 4 })
      const mist = smooth(depth) * (0.62 - 0.5 * nearness) * (0.5 + patches)
      const lit = blend(ground, [255, 214, 172], Math.min(0.9, mist))
      const rim = Math.max(0, 1 - (v - ridge) / 0.006) * (1 - Math.abs(u - sun.u) / aspect)
      return add(lit, [70, 44, 24], rim * (1 - nearness * 0.7))
    }
    const away = Math.hypot(u - sun.u, (v - sun.v) * 1.05)
    const clouds = step(0.52, 0.8, fractal(u * 1.5, v * 8, { seed: 9, octaves: 6 }))
    const below = ramp(sky, v)
    const clouded = blend(below, [255, 190, 168], clouds * 0.55 * step(0.6, 0.2, v))
    const glow = add(clouded, [120, 76, 30], Math.exp(-away * 4.2))
    return blend(glow, [255, 250, 232], step(0.064, 0.058, away))
  })
}

/** Rows of lavender running to the horizon under an evening sky. */
export function rows(): Canvas {
  const horizon = 0.44
  const vanish = aspect * 0.58
  const sky: readonly (readonly [number, Rgb])[] = [
    [0, [58, 74, 138]],
    [0.2, [142, 118, 170]],
    [0.36, [250, 168, 140]],
    [0.45, [255, 222, 160]],
  ]
  return paint({ width, height, grain: 7, seed: 2 }, (u, v) => {
    const trees = 0.05 * Math.max(0, fractal(u * 7, 0.2, { seed: 71, octaves: 6 }) - 0.3)
    const hill = horizon - 0.11 * fractal(u * 1.1 + 4, 0.9, { seed: 72, octaves: 4 })
    if (v < hill) {
      const clouds = step(0.5, 0.78, fractal(u * 1.9 + 3, v * 5.5, { seed: 31, octaves: 6 }))
      const base = ramp(sky, v)
      const lit = blend(base, [255, 196, 158], clouds * 0.6)
      return add(lit, [90, 60, 20], Math.exp(-Math.hypot(u - vanish, (v - 0.4) * 2) * 3.4))
    }
    if (v < horizon - trees) return blend([126, 98, 134], [236, 168, 138], step(0, 0.05, v - hill))
    if (v < horizon)
      return blend([84, 62, 92], [190, 126, 110], Math.exp(-Math.abs(u - vanish) * 3))
    const depth = 0.11 / (v - horizon + 0.004)
    const across = (u - vanish) * depth
    const wobble = 0.08 * (noise(across * 3, depth * 2.4, 81) - 0.5)
    const phase = (across + wobble) * 9.2
    const crest = 0.5 + 0.5 * Math.cos(phase * Math.PI)
    const leaf = fractal(u * 70, v * 96 + depth, { seed: 82, octaves: 4 })
    const fine = step(0, 0.08, v - horizon)
    const bush = blend([64, 38, 102], [190, 146, 226], crest * (0.45 + 0.75 * leaf))
    const soil = blend([70, 60, 44], [124, 112, 70], leaf)
    const ground = blend(soil, bush, step(0.22, 0.5, crest + (leaf - 0.5) * 0.35))
    const haze = Math.exp(-(v - horizon) * 8)
    const warm = Math.exp(-Math.abs(u - vanish) * 1.5) * 0.5
    const shaded = add(blend([150, 112, 150], ground, 0.25 + 0.75 * fine), [70, 44, 10], warm)
    return blend(shaded, [255, 206, 160], haze * 0.55)
  })
}

/** Northern lights over a still lake. */
export function night(): Canvas {
  const shore = 0.72
  const skyAt = (u: number, v: number, stars: boolean): Rgb => {
    let color = ramp(
      [
        [0, [6, 9, 28]],
        [0.5, [12, 26, 58]],
        [0.72, [34, 66, 92]],
      ],
      v,
    )
    for (const curtain of [0, 1, 2]) {
      const bend = fractal(u * 0.9 + curtain * 5.1, 0.4 + curtain, {
        seed: 90 + curtain,
        octaves: 3,
      })
      const foot = 0.34 + 0.5 * (bend - 0.35) + curtain * 0.05
      const above = foot - v
      const streaks = 0.35 + 0.9 * fractal(u * 34 + bend * 9, v * 0.7, { seed: 95, octaves: 3 })
      const strength = above > 0 ? Math.exp(-above * 5.4) : Math.exp(above * 42)
      const hue = blend([62, 232, 160], [150, 92, 232], step(0.02, 0.3, above))
      color = add(color, hue, strength * streaks * (0.62 - curtain * 0.14))
    }
    if (!stars) return color
    const cell = noise(Math.floor(u * 420), Math.floor(v * 420), 55)
    const bright = cell > 0.985 ? (cell - 0.985) / 0.015 : 0
    return add(color, [210, 220, 255], bright * 0.75 * step(0.7, 0.4, v))
  }
  const hillAt = (u: number, index: number) =>
    shore -
    0.02 -
    0.2 *
      (fractal(u * (1.3 + index) + index * 3, 0.3, { seed: 99 + index, octaves: 6 }) - 0.36) *
      (1 - index * 0.35)
  const sceneAt = (u: number, v: number, stars: boolean): Rgb => {
    if (v > hillAt(u, 1)) return [5, 9, 18]
    if (v > hillAt(u, 0))
      return blend([14, 26, 42], [30, 64, 78], step(0.1, 0, v - hillAt(u, 0)) * 0.5)
    return skyAt(u, v, stars)
  }
  return paint({ width, height, grain: 4, seed: 3 }, (u, v) => {
    if (v <= shore) return sceneAt(u, v, true)
    const depth = v - shore
    const ripple = (fractal(u * 5, v * 90, { seed: 12, octaves: 3 }) - 0.5) * (0.02 + depth * 0.16)
    const mirrored = sceneAt(u + ripple, shore - depth * 1.35 - Math.abs(ripple) * 1.4, false)
    return blend(mirrored, [6, 14, 28], 0.24 + depth * 0.9)
  })
}

/** Sand dunes before sunset: one side of each crest in the light, the other in blue shade. */
export function dunes(): Canvas {
  const sky: readonly (readonly [number, Rgb])[] = [
    [0, [96, 142, 190]],
    [0.3, [214, 204, 196]],
    [0.42, [255, 226, 184]],
  ]
  const crests = [0.38, 0.45, 0.54, 0.68, 0.88]
  return paint({ width: 1200, height: 1200, grain: 6, seed: 4 }, (u, v) => {
    for (let index = crests.length - 1; index >= 0; index -= 1) {
      const size = 0.05 + index * 0.045
      const wave = fractal(u * (2.4 - index * 0.3) + index * 13.7, 0.5, {
        seed: 120 + index,
        octaves: 2,
      })
      const crest = (crests[index] ?? 1) - size * (wave - 0.3) * 2.2
      if (v < crest) continue
      const below = (v - crest) / (size * 4)
      const spine = Math.sin(u * (4.6 - index * 0.3) + index * 2.3 - below * (1.1 + 0.4 * index))
      const light = 0.12 + 0.88 * step(-0.12, 0.12, spine)
      const ripples = Math.sin(
        (v * 150 + 9 * fractal(u * 5, v * 7, { seed: 151, octaves: 3 })) / (1 - index * 0.12),
      )
      const sand = blend([118, 66, 72], [248, 178, 112], light)
      const shaded = add(sand, [30, 20, 14], ripples * 0.22 * (0.4 + index * 0.2) * light)
      const haze = (1 - index / (crests.length - 1)) * 0.62
      return blend(
        add(shaded, [60, 40, 20], Math.max(0, 1 - below * 14) * 0.8),
        [255, 214, 176],
        haze,
      )
    }
    const clouds = step(0.55, 0.85, fractal(u * 2, v * 9, { seed: 33, octaves: 5 }))
    return blend(ramp(sky, v), [255, 240, 226], clouds * 0.5)
  })
}
