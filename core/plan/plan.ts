import type { Timeline } from '../timeline/types.ts'
import { type FilmFormat, isFilmFormat, type SoundEncoder, type VideoEncoder } from './formats.ts'

/** Frames of clips at which decoding may begin, by digest, ascending (core/queue/tasks.ts, MediaFacts). */
export type KeyFrames = Readonly<Record<string, readonly number[]>>

/**
 * Everything that decides the output's bytes; immutable. Any node given the plan and the objects it
 * names renders any segment of it to the same bytes.
 */
export type Plan = {
  readonly engine: string
  readonly timeline: Timeline
  readonly encoder: EncoderSettings
  readonly canvas: CanvasSettings
  /** Empty for a still. */
  readonly segments: readonly Segment[]
  readonly audio: readonly AudioClip[]
  readonly output: OutputSettings
  /** Frames of clips at which decoding may begin, by digest, where known; they change no pixel. */
  readonly keyFrames?: KeyFrames
}

/** Frames `start` .. `start + frames - 1`, one closed GOP run. */
export type Segment = {
  readonly index: number
  readonly start: number
  readonly frames: number
  /** Frames that differ from the one before; only these are painted. */
  readonly pictures: number
  /** Frames that the encoder gets; the rest of long runs is added to its stream. */
  readonly encoded: number
  /** Hex sha256 of everything that decides this segment's bytes. */
  readonly fingerprint: string
  /** Digests of the pictures that the segment reads. */
  readonly pixels: readonly string[]
}

/**
 * `threads` is pinned because x264's output depends on it. `gop`: the longest GOP in frames.
 * `preset`: the encoder's speed setting (VP9: `cpu-used`). `crf`: constant rate factor (NVENC:
 * constant quality, MPEG-4: quantiser).
 */
export type EncoderSettings = {
  readonly encoder: VideoEncoder
  readonly preset: string
  readonly crf: number
  readonly threads: number
  readonly gop: number
}

/**
 * Paint backend and device. Backends differ by about 1.3 of 255, and a GPU's pixels depend on its
 * model. All of a job is painted by one backend on one kind of device.
 */
export type CanvasSettings = { readonly backend: 'napi' | 'skia'; readonly device: string }

/**
 * One audible stretch of a source. All times are whole samples at 48 kHz: `at` on the film's
 * timeline, `from` in the source, `length` as heard (after speed).
 */
export type AudioClip = {
  readonly digest: string
  readonly field: string
  readonly at: number
  readonly from: number
  readonly length: number
  readonly volume: number
  readonly speed: number
  /** Cross-fades that the stretch is part of. */
  readonly fades: readonly Fade[]
}

/**
 * Linear gain from 0 to 1 (`in`) or from 1 to 0 (`out`), starting at `at` and lasting `length`
 * samples of the film's timeline. Outside of it the gain stays at the value of the nearer end.
 */
export type Fade = { readonly way: 'in' | 'out'; readonly at: number; readonly length: number }

export const audioSampleRate = 48_000

export type OutputSettings = {
  readonly format: FilmFormat | 'png' | 'jpg' | 'webp'
  /** null for a still. */
  readonly soundEncoder: SoundEncoder | null
  /** jpg and webp only, 1..100. */
  readonly quality: number
  readonly transparent: boolean
  /** Title metadata of the film; empty for a still, whose file holds none. */
  readonly title: string
  /** Frame of the thumbnail, unless the customer gave a picture. */
  readonly thumbnailFrame: number
  /** Digest of the customer's picture. */
  readonly thumbnailPicture?: string
}

/** Returns the format of a film's file. Throws for a still. */
export function filmFormat({ output: { format } }: Plan): FilmFormat {
  if (isFilmFormat(format)) return format
  throw new Error(`A film's format must be one of a film. Got ${format}`)
}
