import {
  bt709,
  bt2020,
  type Chromaticities,
  type ColorCoding,
  hdrPeak,
  referenceWhite,
} from './color-coding.ts'

type Matrix = readonly (readonly [number, number, number])[]

/** Steps of light between black and white in the precomputed table of sRGB values. */
const steps = 65_535

/**
 * Converts RGBA in the given `coding`, 8 or 16 bits a channel, to sRGB of 8 bits. Colours outside
 * sRGB are clipped; HDR is tone-mapped as browsers do on a screen without HDR.
 */
export function toSrgb(rgba: Uint8Array | Uint16Array, coding: ColorCoding): Buffer {
  const max = rgba.BYTES_PER_ELEMENT === 2 ? 65_535 : 255
  const light = Float32Array.from({ length: max + 1 }, (_, value) => coding.light(value / max))
  const coded = Uint8Array.from({ length: steps + 1 }, (_, step) =>
    Math.round(255 * srgbOf(step / steps)),
  )
  const work = coding.hdr ? bt2020 : bt709
  const [[rr, rg, rb], [gr, gg, gb], [br, bg, bb]] = fromTo(coding.primaries, work) as Rows
  const down = coding.hdr && toneMapping(coding.hdr)
  const out = Buffer.allocUnsafe(rgba.length)
  const linear = new Float64Array(3)
  for (let at = 0; at < rgba.length; at += 4) {
    const [r, g, b] = [
      light[rgba[at] ?? 0] ?? 0,
      light[rgba[at + 1] ?? 0] ?? 0,
      light[rgba[at + 2] ?? 0] ?? 0,
    ]
    linear[0] = rr * r + rg * g + rb * b
    linear[1] = gr * r + gg * g + gb * b
    linear[2] = br * r + bg * g + bb * b
    down?.(linear)
    for (let i = 0; i < 3; i++) {
      out[at + i] = coded[Math.round(Math.min(1, Math.max(0, linear[i] ?? 0)) * steps)] ?? 0
    }
    out[at + 3] = max === 255 ? (rgba[at + 3] ?? 0) : Math.round((rgba[at + 3] ?? 0) / 257)
  }
  return out
}

type Rows = readonly [Row, Row, Row]
type Row = readonly [number, number, number]

function srgbOf(light: number): number {
  return light <= 0.0031308 ? light * 12.92 : 1.055 * light ** (1 / 2.4) - 0.055
}

/**
 * Maps BT.2020 light, in which 1 is reference white, into sRGB's range: SMPTE ST 2094-50 without
 * metadata, as in Chromium. Values up to reference white are halved; a Bézier curve then leads to
 * white at the peak.
 */
function toneMapping(hdr: 'pq' | 'hlg'): (linear: Float64Array) => void {
  const [[a, b, c], [d, e, f], [g, h, i]] = fromTo(bt2020, bt709) as Rows
  const brightest = hdrPeak / referenceWhite
  return (linear) => {
    let [red = 0, green = 0, blue = 0] = linear
    if (hdr === 'hlg') {
      const luminance = 0.2627 * red + 0.678 * green + 0.0593 * blue
      const gain = luminance > 0 ? luminance ** 0.2 * brightest : 0
      red *= gain
      green *= gain
      blue *= gain
    }
    const most = Math.max(red, green, blue)
    const gain = most > 1 ? shoulder(most, brightest) / most : 0.5
    red *= gain
    green *= gain
    blue *= gain
    linear[0] = a * red + b * green + c * blue
    linear[1] = d * red + e * green + f * blue
    linear[2] = g * red + h * green + i * blue
  }
}

/** Curve from (1, 0.5), continuing the line from black, to (brightest, 1), where it is flat. */
function shoulder(light: number, brightest: number): number {
  if (light >= brightest) return 1
  const [x1, y1] = [1.65, 0.825]
  // x(t) = (1 - t)² + 2 t (1 - t) x1 + t² brightest
  const [square, linear] = [1 - 2 * x1 + brightest, 2 * (x1 - 1)]
  const t = (-linear + Math.sqrt(linear ** 2 + 4 * square * (light - 1))) / (2 * square)
  return 0.5 * (1 - t) ** 2 + 2 * t * (1 - t) * y1 + t ** 2
}

/** Returns the matrix from one set of primaries to another, white to white (Bradford). */
function fromTo(from: Chromaticities, to: Chromaticities): Matrix {
  return multiply(inverse(toXyz(to)), multiply(adaptation(from, to), toXyz(from)))
}

/** Returns whether the primaries form a colour space: a file may claim impossible ones. */
export function isColorSpace(primaries: Chromaticities): boolean {
  if (primaries.some((value, at) => at % 2 === 1 && at < 2 && value <= 0)) return false
  return (
    toXyz(primaries).flat().every(Number.isFinite) &&
    inverse(toXyz(primaries)).flat().every(Number.isFinite)
  )
}

function toXyz([wx, wy, rx, ry, gx, gy, bx, by]: Chromaticities): Matrix {
  const lights: Matrix = [
    [rx, gx, bx],
    [ry, gy, by],
    [1 - rx - ry, 1 - gx - gy, 1 - bx - by],
  ]
  const [r, g, b] = apply(inverse(lights), white(wx, wy))
  return lights.map(([x, y, z]) => [x * r, y * g, z * b] as const)
}

const white = (x: number, y: number) => [x / y, 1, (1 - x - y) / y] as const

const bradford: Matrix = [
  [0.8951, 0.2664, -0.1614],
  [-0.7502, 1.7135, 0.0367],
  [0.0389, -0.0685, 1.0296],
]

function adaptation(from: Chromaticities, to: Chromaticities): Matrix {
  const [r, g, b] = apply(bradford, white(from[0], from[1]))
  const [toR, toG, toB] = apply(bradford, white(to[0], to[1]))
  const scale: Matrix = [
    [toR / r, 0, 0],
    [0, toG / g, 0],
    [0, 0, toB / b],
  ]
  return multiply(inverse(bradford), multiply(scale, bradford))
}

function apply(matrix: Matrix, [x, y, z]: Row): Row {
  const [r = 0, g = 0, b = 0] = matrix.map(([a, b, c]) => a * x + b * y + c * z)
  return [r, g, b]
}

function multiply(a: Matrix, b: Matrix): Matrix {
  const columns = [0, 1, 2].map((i) => apply(a, b.map((row) => row[i] ?? 0) as unknown as Row))
  return [0, 1, 2].map((i) => columns.map((column) => column[i] ?? 0) as unknown as Row)
}

function inverse(matrix: Matrix): Matrix {
  const [[a, b, c], [d, e, f], [g, h, i]] = matrix as Rows
  const [A, B, C] = [e * i - f * h, f * g - d * i, d * h - e * g]
  const determinant = a * A + b * B + c * C
  return [
    [A, c * h - b * i, b * f - c * e],
    [B, a * i - c * g, c * d - a * f],
    [C, b * g - a * h, a * e - b * d],
  ].map(([x = 0, y = 0, z = 0]) => [x / determinant, y / determinant, z / determinant] as const)
}
