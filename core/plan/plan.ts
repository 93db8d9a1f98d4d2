import type { Timeline } from '../timeline/timeline.ts'
import type { KeyFrames } from './clip-openings.ts'
import { type FilmFormat, isFilmFormat, type SoundEncoder, type VideoEncoder } from './formats.ts'

/**
 * Everything that decides the output's bytes; immutable once written. Any node given the plan and
 * the objects it names renders any segment of it to the same bytes.
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
  /** Frames of clips at which decoding may begin, by digest, as far as they are known; they change no pixel. */
  readonly keyFrames?: KeyFrames
}

/** Frames `start` .. `start + frames - 1`, one closed GOP run. */
export type Segment = {
  readonly index: number
  readonly start: number
  readonly frames: number
  /** How many of them differ from the one before: the rest is not painted. */
  readonly pictures: number
  /** How many the encoder gets: the rest of long runs is put into its stream. */
  readonly encoded: number
  /** Hex sha256 of everything that decides this segment's bytes. */
  readonly fingerprint: string
  /** Digests of the pictures it reads. */
  readonly pixels: readonly string[]
}

/**
 * `threads` is pinned because x264's output depends on it. `gop`: the longest GOP in frames.
 * `preset`: the encoder's own word for how long it may think (VP9: `cpu-used`). `crf`: constant rate
 * factor (NVENC: constant quality, MPEG-4: quantiser).
 */
export type EncoderSettings = {
  readonly encoder: VideoEncoder
  readonly preset: string
  readonly crf: number
  readonly threads: number
  readonly gop: number
}

/**
 * What paints. Backends differ by about 1.3 of 255, and a GPU's pixels are those of its kind, so all
 * of a job is painted by one backend on one kind of device.
 */
export type CanvasSettings = { readonly backend: 'napi' | 'skia'; readonly device: string }

/**
 * One sounding stretch of a source. All times are whole samples at 48 kHz: `at` on the film's
 * timeline, `from` in the source, `length` of the stretch (before speed: `length` is what is heard).
 */
export type AudioClip = {
  readonly digest: string
  readonly field: string
  readonly at: number
  readonly from: number
  readonly length: number
  readonly volume: number
  readonly speed: number
  /** Cross-fades that it stands in. */
  readonly fades: readonly Fade[]
}

/**
 * From `at`, for `length` samples of the film's timeline, the gain goes evenly from 0 to 1 (`in`) or
 * from 1 to 0 (`out`); before and after it stays what it is at that end.
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
  /** The film's title metadata; empty for a still, whose file holds none. */
  readonly title: string
  /** The frame the thumbnail shows, unless the customer gave a picture. */
  readonly thumbnailFrame: number
  /** Digest of that picture. */
  readonly thumbnailPicture?: string
}

/** The format of a film's file. Throws for a still. */
export function filmFormat({ output: { format } }: Plan): FilmFormat {
  if (isFilmFormat(format)) return format
  throw new Error(`A film's format must be one of a film. Got ${format}`)
}
