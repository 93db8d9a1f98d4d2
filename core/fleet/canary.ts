import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import type { FrameDescription } from '../timeline/draw.ts'

/**
 * A known shard that a quarantined node must paint, encode and store before it gets work again. Its
 * frames are opaque rectangles on whole pixels. Every canvas paints those alike, on the CPU as on
 * any GPU, so the hashes of their pixels never change.
 */

/** px. Hardware encoders refuse pictures below about 150 px. */
const size = 256
const frames = 8
/** dB. Measured: 42 of healthy encoders, 15 of a film that is one frame late, 1 of a negative. */
const psnrLeast = 30
/** dB. Measured: 28 (aac) to 48 (opus) of healthy encoders, 6 at half the level, 0 of swapped channels. */
const snrLeast = 20
/** Seconds. Encoders fill up their last packet, and some begin with silence. */
const lengthSlack = 0.1

/** `encoders`: the node's encoders of pictures and of sound. */
export const CanarySpec = Type.Object({ encoders: Type.Array(Type.String(), { maxItems: 16 }) })
export type CanarySpec = Static<typeof CanarySpec>

/** A film after decoding. `psnr`: of the frame that differs most from its painted one, dB. */
const CanaryFilm = Type.Object({
  encoder: Type.String(),
  frames: Type.Number(),
  width: Type.Number(),
  height: Type.Number(),
  psnr: Type.Number(),
})
export type CanaryFilm = Static<typeof CanaryFilm>

/** A sound after decoding. `snr`: of the tone against all else, in the worse channel, dB. */
const CanarySound = Type.Object({
  encoder: Type.String(),
  seconds: Type.Number(),
  snr: Type.Number(),
})
export type CanarySound = Static<typeof CanarySound>

/** `frames`: hex sha256 of each frame's RGBA, in order. `films` and `sounds`: one for each encoder. */
export const CanaryResult = Type.Object({
  frames: Type.Array(Type.String(), { maxItems: 64 }),
  films: Type.Array(CanaryFilm, { maxItems: 16 }),
  sounds: Type.Array(CanarySound, { maxItems: 16 }),
})
export type CanaryResult = Static<typeof CanaryResult>

/** Kind of the canary request, beside the kinds of tasks (core/queue/tasks.ts). */
export const canaryKind = 'canary'
/** Name of the object that the node writes and reads back. */
export const canaryObject = 'canary'

/** Tones, one for each channel. `level`: peak, 1 = full scale. */
export const canaryTones = { hz: [1_000, 1_500], level: 0.5, seconds: 1 } as const

export const canaryFormat = { width: size, height: size, frameRate: 8 } as const

/** Describes squares that move over a ground of changing colour. */
export function canaryFrames(): FrameDescription[] {
  return Array.from({ length: frames }, (_, n) => ({
    width: size,
    height: size,
    commands: [
      { op: 'fill', rect: [0, 0, size, size], color: grey(16 + 24 * n) },
      { op: 'fill', rect: [32 * n, 16 * n, 32, 32], color: '#e0401f' },
      { op: 'fill', rect: [224 - 32 * n, 160, 32, 64], color: '#1f60e0' },
    ],
  }))
}

function grey(level: number): string {
  return `#${level.toString(16).padStart(2, '0').repeat(3)}`
}

/** Pixels of the same frames, computed by the rule of `fill` alone. */
export function canaryPixels({ width, height, commands }: FrameDescription): Uint8Array {
  const rgba = new Uint8Array(width * height * 4).fill(255)
  for (const command of commands) {
    if (command.op !== 'fill') continue
    const [left, top, wide, high] = command.rect
    const channels = [1, 3, 5].map((at) => Number.parseInt(command.color.slice(at, at + 2), 16))
    for (let y = top; y < top + high; y += 1) {
      for (let x = left; x < left + wide; x += 1) rgba.set(channels, (y * width + x) * 4)
    }
  }
  return rgba
}

/**
 * Returns the fault in a node's canary result, or undefined. `hashes`: of the frames above;
 * `encoders`: those that the node was asked to use.
 */
export function canaryFault(
  result: unknown,
  { hashes, encoders }: { hashes: readonly string[]; encoders: readonly string[] },
): string | undefined {
  if (!Value.Check(CanaryResult, result))
    return 'the result does not have the form of a canary result'
  const wrong = hashes.findIndex((hash, n) => result.frames[n] !== hash)
  if (wrong >= 0 || result.frames.length !== frames) {
    return `frame ${wrong < 0 ? frames : wrong} differs from the expected frame`
  }
  for (const encoder of encoders) {
    const fault = encoderFault(encoder, result)
    if (fault !== undefined) return fault
  }
  return undefined
}

function encoderFault(encoder: string, { films, sounds }: CanaryResult): string | undefined {
  const film = films.find((each) => each.encoder === encoder)
  const sound = sounds.find((each) => each.encoder === encoder)
  if (film) {
    if (film.frames !== frames || film.width !== size || film.height !== size) {
      return `the film of ${encoder} must have ${frames} frames of ${size}x${size}. It has ${film.frames} of ${film.width}x${film.height}`
    }
    if (film.psnr >= psnrLeast) return undefined
    return `the film of ${encoder} must match the painted frames with a PSNR >= ${psnrLeast} dB. Got ${film.psnr.toFixed(1)} dB`
  }
  if (!sound) return `${encoder} encoded nothing`
  const { seconds } = canaryTones
  if (Math.abs(sound.seconds - seconds) > lengthSlack) {
    return `the sound of ${encoder} must be ${seconds} s long, give or take ${lengthSlack}. Got ${sound.seconds.toFixed(3)} s`
  }
  if (sound.snr >= snrLeast) return undefined
  return `the sound of ${encoder} must match the input tones with an SNR >= ${snrLeast} dB. Got ${sound.snr.toFixed(1)} dB`
}
