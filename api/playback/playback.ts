import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { FarmError } from '../../core/errors.ts'
import { piecesOf } from '../../core/plan/pieces.ts'
import type { Plan } from '../../core/plan/plan.ts'
import { getArtifacts } from '../../store/db/artifacts/get-artifacts.ts'
import type { Db } from '../../store/db/database.ts'
import { type FilmJob, findFilm } from '../../store/db/playback/find-film.ts'
import { findWritten } from '../../store/db/playback/find-written.ts'
import { wantSegments } from '../../store/db/playback/want-segments.ts'
import { planKey } from '../../store/objects/job-keys.ts'
import { ObjectMissingError, type ObjectStore } from '../../store/objects/object-store.ts'
import {
  formatOf,
  hasSoundTrack,
  keyFramesOf,
  picturesInit,
  picturesPiece,
  soundInit,
  soundPiece,
} from './cut-pieces.ts'
import { type Mp4File, openLargeMp4, openSmallMp4 } from './mp4-file.ts'
import { type PlayableFilm, playableFilm, whyNotPlayable } from './playable-film.ts'
import { filmPlaylist, type TrackName, trackPlaylist } from './playlist.ts'

/** Something of a film that a player asks for. */
export type PlayerFile =
  | { readonly kind: 'film' }
  | { readonly kind: 'playlist'; readonly track: TrackName }
  | { readonly kind: 'init'; readonly track: TrackName }
  | { readonly kind: 'piece'; readonly track: TrackName; readonly number: number }

/** Distance of looks at a piece that is being rendered. */
const lookAgainMs = 250
/** Looks after which the shard of a missing piece is moved to the front again. */
const looksPerLead = 8
/** Longest wait of a request for its piece; players ask again. */
const longestWaitMs = 20_000
const cachedBytes = 96 * 2 ** 20
const cachedFilms = 1_000
const cachedIndexes = 100
const retryAfterSeconds = 1

type Options = {
  /** Sees all accounts: a signed address is the permission. */
  readonly db: Db
  readonly objects: Pick<ObjectStore, 'read' | 'readRange'>
}

type Wanted = { readonly jobId: string; readonly signal: AbortSignal }

/**
 * Gives players the films of jobs that may still be rendering. A playlist is complete as soon as the
 * film is planned. A piece that is not there is waited for, and its shard goes first among those of
 * its account. All that is given is kept for a while: many players of a film cost as much as one.
 */
export class Playback {
  readonly #options: Options
  readonly #films = new LRUCache<string, PlayableFilm>({ max: cachedFilms })
  readonly #indexes = new LRUCache<string, Mp4File>({ max: cachedIndexes })
  readonly #pieces = new LRUCache<string, Buffer>({
    maxSize: cachedBytes,
    sizeCalculation: ({ length }) => length + 1,
  })
  readonly #begun = new Map<string, Begun>()

  constructor(options: Options) {
    this.#options = options
  }

  /** @throws FarmError when there is no such film or piece, or it is not there in time */
  async give(file: PlayerFile, wanted: Wanted): Promise<string | Buffer> {
    const job = await this.#jobOf(wanted.jobId)
    const film = await this.#filmOf(job, wanted)
    if (file.kind === 'film') return filmPlaylist(film)
    if (file.track === 'sound' && !film.hasSound) throw missing('The film is silent. Got sound')
    if (file.kind === 'playlist') return trackPlaylist(film, file.track)
    if (file.kind === 'piece' && film.pieces[file.number] === undefined) {
      throw missing(`The film has ${film.pieces.length} pieces, from 0. Got ${file.number}`)
    }
    return await this.#shared(file, film, wanted)
  }

  /** The film's table of pieces, where a request has needed it before. */
  knownFilm(jobId: string): PlayableFilm | undefined {
    return this.#films.get(jobId)
  }

  /** Undefined: not planned yet. @throws FarmError when there is no such film */
  async loadFilm(jobId: string): Promise<PlayableFilm | undefined> {
    try {
      return await this.#filmOf(await this.#jobOf(jobId), { jobId })
    } catch (error) {
      if (error instanceof NotYet) return undefined
      throw error
    }
  }

  /** Lets players that ask for the same wait for the same. */
  async #shared(file: PieceFile, film: PlayableFilm, { jobId, signal }: Wanted): Promise<Buffer> {
    const key = `${jobId}/${file.track}/${file.kind === 'piece' ? file.number : 'init'}`
    const known = this.#pieces.get(key)
    if (known) return known
    const begun = this.#begun.get(key) ?? this.#begin(key, { file, film, jobId })
    begun.players += 1
    const gone = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    })
    gone.catch(() => undefined)
    try {
      return await Promise.race([begun.made, gone])
    } finally {
      begun.players -= 1
    }
  }

  #begin(
    key: string,
    { file, film, jobId }: { file: PieceFile; film: PlayableFilm; jobId: string },
  ): Begun {
    const begun: Begun = { players: 0, made: Promise.resolve(Buffer.alloc(0)) }
    begun.made = this.#make(file, film, { jobId, hasPlayers: () => begun.players > 0 })
      .then((bytes) => {
        this.#pieces.set(key, bytes)
        return bytes
      })
      .finally(() => this.#begun.delete(key))
    begun.made.catch(() => undefined)
    this.#begun.set(key, begun)
    return begun
  }

  async #make(
    file: PieceFile,
    film: PlayableFilm,
    { jobId, hasPlayers }: { jobId: string; hasPlayers: () => boolean },
  ): Promise<Buffer> {
    const until = Date.now() + longestWaitMs
    for (let look = 0; ; look += 1) {
      const job = await this.#jobOf(jobId)
      const leads = look % looksPerLead === 0
      const found = await this.#cut(file, film, { job, jobId, leads })
      if (found) return found
      if (Date.now() + lookAgainMs > until) throw notYet()
      await sleep(lookAgainMs)
      // Nothing is rendered first for players that have gone.
      if (!hasPlayers()) throw notYet()
    }
  }

  /** Undefined: not rendered yet. */
  async #cut(
    file: PieceFile,
    film: PlayableFilm,
    of: { job: FilmJob; jobId: string; leads: boolean },
  ): Promise<Buffer | undefined> {
    const number = file.kind === 'piece' ? file.number : 0
    const piece = film.pieces[number]
    if (!piece) return undefined
    const { start, frames } = piece
    const { frameRate } = film
    if (file.track === 'sound') {
      const sound = await this.#soundOf(film, of)
      if (!sound || file.kind === 'init') return sound && soundInit(sound)
      const isLast = number === film.pieces.length - 1
      const to = isLast ? Number.POSITIVE_INFINITY : (start + frames) / frameRate
      return await soundPiece({ number, from: start / frameRate, to }, sound)
    }
    const { outputKey } = of.job
    if (outputKey !== null) {
      const whole = await this.#indexOf(outputKey)
      if (file.kind === 'init') return picturesInit(whole, frameRate)
      return await picturesPiece({ number, start, frameRate }, [
        { file: whole, from: start, frames },
      ])
    }
    const segments = await this.#segmentsOf(film, { ...of, wanted: piece.segments })
    const [first] = segments
    if (!first || segments.some((segment) => segment === undefined)) return undefined
    if (file.kind === 'init') return picturesInit(first, frameRate)
    const stretches = segments.flatMap((segment) =>
      segment ? [{ file: segment, from: 0, frames: keyFramesOf(segment).frames }] : [],
    )
    if (stretches.reduce((sum, each) => sum + each.frames, 0) !== frames) {
      throw new Error('The segments of a piece must have all of its frames')
    }
    return await picturesPiece({ number, start, frameRate }, stretches)
  }

  /** Finds the segments in the store; those that are missing are asked for first. */
  async #segmentsOf(
    film: PlayableFilm,
    {
      job,
      jobId,
      wanted,
      leads,
    }: { job: FilmJob; jobId: string; wanted: readonly number[]; leads: boolean },
  ): Promise<(Mp4File | undefined)[]> {
    const { db, objects } = this.#options
    const { accountId } = job
    const digests = wanted.flatMap((index) => film.fingerprints[index] ?? [])
    const alike = digests.map((digest) => indexesOf(film, digest))
    const names = alike.flat().map(nameOf)
    const [stored, written] = await Promise.all([
      getArtifacts(db, { accountId, kind: 'segment', digests }),
      findWritten(db, { accountId, jobId, names }),
    ])
    const keys = digests.map((digest, i) => {
      const name = alike[i]?.map(nameOf).find((each) => written.has(each))
      return stored.get(digest)?.objectKey ?? written.get(name ?? '')
    })
    const absent = alike.flatMap((indexes, i) => (keys[i] === undefined ? indexes : []))
    if (absent.length > 0) {
      if (leads) await wantSegments(db, { accountId, jobId, segments: absent })
      return [undefined]
    }
    return await Promise.all(keys.map((key) => openIfThere(objects, key)))
  }

  async #soundOf(
    { soundDigest }: PlayableFilm,
    { job, jobId }: { job: FilmJob; jobId: string },
  ): Promise<Mp4File | undefined> {
    const { db, objects } = this.#options
    const { accountId, outputKey } = job
    if (outputKey !== null) return await this.#indexOf(outputKey)
    if (soundDigest === null) return undefined
    const [stored, written] = await Promise.all([
      getArtifacts(db, { accountId, kind: 'sound', digests: [soundDigest] }),
      findWritten(db, { accountId, jobId, names: ['sound'] }),
    ])
    const key = stored.get(soundDigest)?.objectKey ?? written.get('sound')
    if (key === undefined) return undefined
    const known = this.#indexes.get(key)
    if (known) return known
    const opened = await openIfThere(objects, key)
    if (opened) this.#indexes.set(key, opened)
    return opened
  }

  async #indexOf(key: string): Promise<Mp4File> {
    const known = this.#indexes.get(key)
    if (known) return known
    const opened = await openLargeMp4(this.#options.objects, key)
    this.#indexes.set(key, opened)
    return opened
  }

  async #jobOf(jobId: string): Promise<FilmJob> {
    const job = await findFilm(this.#options.db, jobId)
    if (!job) throw missing('The film’s job must exist. It does not')
    if (job.state === 'failed' || job.state === 'cancelled') throw ended(job)
    if (job.filesRemovedAt) throw missing('The film’s files were removed. Render it again')
    return job
  }

  /** The table of pieces, of the plan or else of the finished file's key frames. */
  async #filmOf(job: FilmJob, { jobId }: Pick<Wanted, 'jobId'>): Promise<PlayableFilm> {
    const known = this.#films.get(jobId)
    if (known) return known
    const why = job.filmFormat === null ? undefined : whyNotPlayable(job.filmFormat)
    if (why !== undefined) throw missing(why)
    if (job.framesTotal === 0 && job.outputKey === null) throw notYet()
    const film =
      (await this.#plannedFilm({ ...job, jobId })) ??
      (job.outputKey === null ? undefined : filmOfFile(await this.#indexOf(job.outputKey)))
    if (!film) throw notYet()
    this.#films.set(jobId, film)
    return film
  }

  async #plannedFilm(job: { accountId: string; jobId: string }): Promise<PlayableFilm | undefined> {
    try {
      const plan = JSON.parse(String(await this.#options.objects.read(planKey(job)))) as Plan
      return plan.segments.length > 0 ? playableFilm(plan) : undefined
    } catch (error) {
      if (error instanceof ObjectMissingError) return undefined
      throw error
    }
  }
}

/** Equal segments are rendered once, under the name of any of them. */
function indexesOf({ fingerprints }: PlayableFilm, digest: string): number[] {
  return fingerprints.flatMap((each, index) => (each === digest ? [index] : []))
}

const nameOf = (index: number) => `segment-${index}`

/** A piece that is being made, and the players that wait for it. */
type Begun = { players: number; made: Promise<Buffer> }

type PieceFile = Extract<PlayerFile, { kind: 'init' | 'piece' }>

async function openIfThere(
  objects: Pick<ObjectStore, 'read'>,
  key: string | undefined,
): Promise<Mp4File | undefined> {
  try {
    return key === undefined ? undefined : await openSmallMp4(objects, key)
  } catch (error) {
    if (error instanceof ObjectMissingError) return undefined
    throw error
  }
}

function filmOfFile(file: Mp4File): PlayableFilm {
  const { keys, frames } = keyFramesOf(file)
  const { width, height, frameRate } = formatOf(file)
  const ranges = keys.map((start, i) => ({ start, frames: (keys[i + 1] ?? frames) - start }))
  return {
    ...{ width, height, frameRate, fingerprints: [], soundDigest: null },
    pieces: piecesOf(ranges, frameRate),
    hasSound: hasSoundTrack(file),
  }
}

function missing(message: string): FarmError {
  return new FarmError('not_found', `${message}.`)
}

function ended({ state, error }: FilmJob): FarmError {
  const why = error ? `: ${error.message}` : ''
  return new FarmError('conflict', `The film cannot be played, because its job is ${state}${why}`)
}

/** The player asks again after the time that the answer names. */
export class NotYet extends FarmError {
  readonly retryAfterSeconds = retryAfterSeconds
}

function notYet(): NotYet {
  return new NotYet('unavailable', 'This part of the film is not rendered yet. Ask again')
}
