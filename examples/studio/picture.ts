import { type Canvas, createCanvas } from '@napi-rs/canvas'
import { mix, randomFrom } from './noise.ts'

/** Red, green, blue in 0..255, not yet rounded. */
export type Rgb = readonly [number, number, number]

export function blend(from: Rgb, to: Rgb, share: number): Rgb {
  return [mix(from[0], to[0], share), mix(from[1], to[1], share), mix(from[2], to[2], share)]
}

export function add(base: Rgb, light: Rgb, amount: number): Rgb {
  return [base[0] + light[0] * amount, base[1] + light[1] * amount, base[2] + light[2] * amount]
}

/** Interpolates a colour between stops at rising positions. */
export function ramp(stops: readonly (readonly [at: number, color: Rgb])[], at: number): Rgb {
  let previous = stops[0]
  if (previous === undefined) throw new Error('A ramp must have at least one stop. Got none.')
  for (const stop of stops) {
    if (at <= stop[0]) {
      const span = stop[0] - previous[0]
      return span === 0 ? stop[1] : blend(previous[1], stop[1], (at - previous[0]) / span)
    }
    previous = stop
  }
  return previous[1]
}

/**
 * Paints `colorAt(u, v)` for each pixel (u along the width in 0..aspect, v along the height in
 * 0..1), with a photographic grain of `grain` levels and a light vignette.
 */
export function paint(
  { width, height, grain, seed }: { width: number; height: number; grain: number; seed: number },
  colorAt: (u: number, v: number) => Rgb,
): Canvas {
  const canvas = createCanvas(width, height)
  const context = canvas.getContext('2d')
  const image = context.createImageData(width, height)
  const random = randomFrom(seed)
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const [r, g, b] = colorAt(x / height, y / height)
      const fromCentre = Math.hypot(x / width - 0.5, y / height - 0.5)
      const light = 1 - 0.35 * fromCentre ** 2
      const speck = (random() + random() - 1) * grain
      const at = (y * width + x) * 4
      image.data[at] = r * light + speck
      image.data[at + 1] = g * light + speck
      image.data[at + 2] = b * light + speck
      image.data[at + 3] = 255
    }
  }
  context.putImageData(image, 0, 0)
  return canvas
}
