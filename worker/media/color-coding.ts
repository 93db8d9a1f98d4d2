/**
 * Colours that a file describes by numbers instead of an ICC profile: code points of ITU-T H.273
 * (PNG's cICP, AVIF's nclx), or a gamma with chromaticities (PNG's gAMA and cHRM).
 */
export type ColorCoding = {
  /** Chromaticities x and y of white, red, green and blue. */
  readonly primaries: Chromaticities
  /** Returns the light of a coded value of 0 to 1. HDR: 1 is reference white. */
  readonly light: (value: number) => number
  readonly hdr?: 'pq' | 'hlg'
}

export type Chromaticities = readonly [
  ...[whiteX: number, whiteY: number, redX: number, redY: number],
  ...[greenX: number, greenY: number, blueX: number, blueY: number],
]

const d65 = [0.3127, 0.329] as const
const c = [0.31, 0.316] as const
const smpte170m: Chromaticities = [...d65, 0.63, 0.34, 0.31, 0.595, 0.155, 0.07]

export const bt709: Chromaticities = [...d65, 0.64, 0.33, 0.3, 0.6, 0.15, 0.06]
export const bt2020: Chromaticities = [...d65, 0.708, 0.292, 0.17, 0.797, 0.131, 0.046]

/** H.273, table 2. */
const primariesByCode: Readonly<Record<number, Chromaticities>> = {
  1: bt709,
  4: [...c, 0.67, 0.33, 0.21, 0.71, 0.14, 0.08],
  5: [...d65, 0.64, 0.33, 0.29, 0.6, 0.15, 0.06],
  6: smpte170m,
  7: smpte170m,
  8: [...c, 0.681, 0.319, 0.243, 0.692, 0.145, 0.049],
  9: bt2020,
  10: [1 / 3, 1 / 3, 1, 0, 0, 1, 0, 0],
  11: [0.314, 0.351, 0.68, 0.32, 0.265, 0.69, 0.15, 0.06],
  12: [...d65, 0.68, 0.32, 0.265, 0.69, 0.15, 0.06],
  22: [...d65, 0.63, 0.34, 0.295, 0.605, 0.155, 0.077],
}

/** Reference white (ITU-R BT.2408) and the brightest light of HLG, cd/m². */
export const referenceWhite = 203
export const hdrPeak = 1000

type Light = (value: number) => number
const power =
  (exponent: number): Light =>
  (value) =>
    value ** exponent
/**
 * Returns a straight line of `slope` up to `until`, then ((value + offset) / (1 + offset)) ^
 * exponent.
 */
const lineThenPower =
  (slope: number, until: number, offset: number, exponent: number): Light =>
  (value) =>
    value <= until ? value / slope : ((value + offset) / (1 + offset)) ** exponent

export const srgbLight = lineThenPower(12.92, 0.04045, 0.055, 2.4)
/** ITU-R BT.1886, the curve of television screens, whatever the cameras did. */
const televisionLight = power(2.4)

/** H.273, table 3. */
const lightByCode: Readonly<Record<number, Light>> = {
  1: televisionLight,
  4: power(2.2),
  5: power(2.8),
  6: televisionLight,
  7: lineThenPower(4, 0.0912, 0.1115, 1 / 0.45),
  8: power(1),
  11: televisionLight,
  13: srgbLight,
  14: televisionLight,
  15: televisionLight,
  16: pqLight,
  17: (value) => value ** 2.6 * (52.37 / 48),
  18: hlgLight,
}

/** Returns the coding of two code points; undefined when they are unspecified or unknown. */
export function codingOf(primariesCode: number, lightCode: number): ColorCoding | undefined {
  const primaries = primariesByCode[primariesCode]
  const light = lightByCode[lightCode]
  if (!primaries || !light) return undefined
  const hdr = ({ 16: 'pq', 18: 'hlg' } as const)[lightCode]
  return { primaries, light, ...(hdr && { hdr }) }
}

/**
 * Returns the coding of PNG's gAMA. A power of 2.2 within libpng's threshold means sRGB if no
 * chromaticities go with it, as in browsers.
 */
export function codingOfGamma(gamma: number, primaries: Chromaticities | undefined): ColorCoding {
  const isUsual = !primaries && Math.abs(gamma * 2.2 - 1) < 0.05
  return { primaries: primaries ?? bt709, light: isUsual ? srgbLight : power(1 / gamma) }
}

/** SMPTE ST 2084. */
function pqLight(value: number): number {
  const root = value ** (32 / 2523)
  const nits =
    1e4 * (Math.max(0, root - 0.8359375) / (18.8515625 - 18.6875 * root)) ** (8192 / 1305)
  return nits / referenceWhite
}

/**
 * ITU-R BT.2100: light of the scene, 0 to 1; the display's output depends on all three channels.
 */
function hlgLight(value: number): number {
  return value <= 0.5
    ? value ** 2 / 3
    : (Math.exp((value - 0.55991073) / 0.17883277) + 0.28466892) / 12
}
