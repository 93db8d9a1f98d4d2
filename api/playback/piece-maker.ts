import { keyFramesOf, picturesInit, picturesPiece, soundInit, soundPiece } from './cut-pieces.ts'
import type { FilmFiles } from './film-files.ts'
import type { FilmLooks } from './film-looks.ts'
import { type Need, needOf, wholeFilm } from './film-needs.ts'
import type { Mp4File } from './mp4-file.ts'
import type { PlayableFilm } from './playable-film.ts'
import type { TrackName } from './playlist.ts'

export type PieceFile =
  | { readonly kind: 'init'; readonly track: TrackName }
  | { readonly kind: 'piece'; readonly track: TrackName; readonly number: number }

type Piece = PlayableFilm['pieces'][number]

/** Makes the files that a playlist names, of a film's segments and sound or of its finished file. */
export class PieceMaker {
  readonly #files: FilmFiles
  readonly #looks: Pick<FilmLooks, 'look' | 'anySegment'>

  constructor(files: FilmFiles, looks: Pick<FilmLooks, 'look' | 'anySegment'>) {
    this.#files = files
    this.#looks = looks
  }

  /** Undefined: not rendered yet. @throws FarmError when it never will be */
  async make(file: PieceFile, film: PlayableFilm, jobId: string): Promise<Buffer | undefined> {
    if (file.kind === 'init' && file.track === 'pictures') {
      const any = await this.#anySegment(film, jobId)
      if (any) return picturesInit(any, film)
    }
    const number = file.kind === 'piece' ? file.number : 0
    const piece = film.pieces[number]
    if (!piece) return undefined
    const needs = file.track === 'sound' ? soundOf(film) : segmentsOf(film, piece)
    const { job, keys } = await this.#looks.look(jobId, needs)
    // The only task's file is there a moment before its job has ended.
    const wholeKey = job.outputKey ?? (needs[0] === wholeFilm ? keys[0] : undefined)
    const whole = wholeKey === undefined ? undefined : await this.#files.film(wholeKey)
    if (file.track === 'sound') {
      const sound = whole ?? (await this.#sound(keys))
      if (!sound || file.kind === 'init') return sound && soundInit(sound)
      return await cutSound(sound, film, { piece, number })
    }
    const stretches = whole
      ? [{ file: whole, from: piece.start, frames: piece.frames }]
      : await this.#segments(keys, piece)
    const [first] = stretches ?? []
    if (!stretches || !first) return undefined
    if (file.kind === 'init') return picturesInit(first.file, film)
    return await picturesPiece({ number, start: piece.start, frameRate: film.frameRate }, stretches)
  }

  /** All segments of a film have the same codec and parameters, or they could not be joined. */
  async #anySegment({ fingerprints }: PlayableFilm, jobId: string): Promise<Mp4File | undefined> {
    if (fingerprints.length === 0) return undefined
    const key = await this.#looks.anySegment(jobId, fingerprints)
    return key === undefined ? undefined : await this.#files.segment(key)
  }

  async #sound([key]: readonly (string | undefined)[]): Promise<Mp4File | undefined> {
    return key === undefined ? undefined : await this.#files.sound(key)
  }

  async #segments(keys: readonly (string | undefined)[], { frames }: Piece) {
    // None is read before all are there.
    if (keys.some((key) => key === undefined)) return undefined
    const files = await Promise.all(keys.map((key) => this.#files.segment(key ?? '')))
    const stretches = files.flatMap((file) =>
      file ? [{ file, from: 0, frames: keyFramesOf(file).frames }] : [],
    )
    if (stretches.length < keys.length) return undefined
    if (stretches.reduce((sum, each) => sum + each.frames, 0) !== frames) {
      throw new Error('The segments of a piece must have all of its frames')
    }
    return stretches
  }
}

function segmentsOf({ fingerprints }: PlayableFilm, { segments }: Piece): Need[] {
  if (segments.length === 0) return [wholeFilm]
  return segments.flatMap((segment) => {
    const digest = fingerprints[segment]
    if (digest === undefined) return []
    // Equal segments are rendered once, under the name of any of them.
    const names = fingerprints.flatMap((each, i) => (each === digest ? [`segment-${i}`] : []))
    return [needOf(digest, names)]
  })
}

function soundOf({ soundDigest: digest }: PlayableFilm): Need[] {
  return digest === null ? [] : [{ kind: 'sound', digest, names: ['sound'] }]
}

async function cutSound(
  sound: Mp4File,
  { pieces, frameRate }: PlayableFilm,
  { piece: { start, frames }, number }: { piece: Piece; number: number },
): Promise<Buffer> {
  const isLast = number === pieces.length - 1
  const to = isLast ? Number.POSITIVE_INFINITY : (start + frames) / frameRate
  return await soundPiece({ number, from: start / frameRate, to }, sound)
}
