import { avcCodec } from '../../core/plan/avc-codec.ts'
import { soundText } from '../../core/plan/fingerprint.ts'
import { type Piece, piecesOf } from '../../core/plan/pieces.ts'
import type { Plan } from '../../core/plan/plan.ts'
import { sha256 } from '../../runtime/sha256.ts'

/** A film's table of pieces, which stands before the first frame is painted. */
export type PlayableFilm = {
  readonly width: number
  readonly height: number
  readonly frameRate: number
  readonly pieces: readonly Piece[]
  /** Digest of each segment; empty for a film that was taken whole from the store. */
  readonly fingerprints: readonly string[]
  /** Digest of the encoded sound; null where the film is silent. */
  readonly soundDigest: string | null
  readonly hasSound: boolean
  /** Coding of the pictures as a playlist names it; absent: their encoder chooses it. */
  readonly codec: string | undefined
}

/** Formats whose pictures are H.264, and whose sound is AAC. */
const playableFormats: ReadonlySet<string> = new Set(['mp4', 'mov'])

/** Returns why a film of this format has no playlist; undefined where it has one. */
export function whyNotPlayable(format: string): string | undefined {
  if (playableFormats.has(format)) return undefined
  return `Films of the formats ${[...playableFormats].join(' and ')} have a playlist. This film is ${format}.`
}

export function playableFilm(plan: Plan): PlayableFilm {
  const { width, height, frameRate } = plan.timeline
  const hasSound = plan.audio.length > 0
  return {
    ...{ width, height, frameRate, hasSound },
    codec: avcCodec({ width, height, frameRate, encoder: plan.encoder.encoder }),
    pieces: piecesOf(plan.segments, frameRate),
    fingerprints: plan.segments.map(({ fingerprint }) => fingerprint),
    soundDigest: hasSound ? sha256(soundText(plan)) : null,
  }
}
