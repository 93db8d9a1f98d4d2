import type { VideoEncoder } from './formats.ts'

/**
 * Levels of H.264 (Table A-1): number, macroblocks a second, of a picture, and of the pictures that
 * a decoder keeps.
 */
const levels = [
  [10, 1_485, 99, 396],
  [11, 3_000, 396, 900],
  [12, 6_000, 396, 2_376],
  [13, 11_880, 396, 2_376],
  [21, 19_800, 792, 4_752],
  [22, 20_250, 1_620, 8_100],
  [30, 40_500, 1_620, 8_100],
  [31, 108_000, 3_600, 18_000],
  [32, 216_000, 5_120, 20_480],
  [40, 245_760, 8_192, 32_768],
  [42, 522_240, 8_704, 34_816],
  [50, 589_824, 22_080, 110_400],
  [51, 983_040, 36_864, 184_320],
  [52, 2_073_600, 36_864, 184_320],
  [60, 4_177_920, 139_264, 696_320],
  [61, 8_355_840, 139_264, 696_320],
  [62, 16_711_680, 139_264, 696_320],
] as const

/** Pictures that a decoder keeps: x264's preset makes pyramids of B-frames. */
const keptPictures = 4
/** A picture is at most so many times wider than a square one of its level, squared. */
const longestSide = 8
const highProfile = '6400'

/**
 * Returns how a playlist names the coding of a film's pictures (RFC 6381), before one is encoded:
 * x264 takes the lowest level that the size and the rate allow. Undefined: another encoder, whose
 * choice is not known.
 */
export function avcCodec({
  width,
  height,
  frameRate,
  encoder,
}: {
  width: number
  height: number
  frameRate: number
  encoder: VideoEncoder
}): string | undefined {
  if (encoder !== 'libx264') return undefined
  const [across, down] = [Math.ceil(width / 16), Math.ceil(height / 16)]
  const size = across * down
  const level = levels.find(
    ([, rate, picture, kept]) =>
      size * frameRate <= rate &&
      size <= picture &&
      Math.max(across, down) ** 2 <= picture * longestSide &&
      size * keptPictures <= kept,
  )
  return level && `avc1.${highProfile}${level[0].toString(16).padStart(2, '0')}`
}
