import { LRUCache } from 'lru-cache'
import { FarmError } from '../../core/errors.ts'
import { type JobState, jobProgress } from '../../core/jobs/jobs.ts'
import type { Db } from '../../store/db/database.ts'
import { findPlayState, type PlayStateRow } from '../../store/db/playback/find-play-state.ts'
import { type PlayableFilm, whyNotPlayable } from './playable-film.ts'
import type { Playback } from './playback.ts'

/** State of a film for a page that plays it. */
export type PlayState = {
  readonly name: string
  readonly state: JobState
  readonly progress: number
  /** Sentence about a film that cannot be played and never will be; else null. */
  readonly problem: string | null
  /** Empty until the film is planned. */
  readonly pieces: PieceState[]
}

/** `start` and `seconds` in seconds of the film. */
type PieceState = { readonly start: number; readonly seconds: number; readonly isThere: boolean }

/** Age at which a state is read again: all viewers of a film share one read a second. */
const keptMs = 1_000
const keptStates = 1_000

/** Reads states of films, once a second for each film, however many pages ask. */
export class PlayStates {
  readonly #db: Db
  readonly #playback: Pick<Playback, 'knownFilm' | 'loadFilm' | 'lent'>
  readonly #reads = new LRUCache<string, Promise<PlayState>>({ max: keptStates, ttl: keptMs })

  /** `db` sees all accounts: a signed address is the permission. */
  constructor(db: Db, playback: Pick<Playback, 'knownFilm' | 'loadFilm' | 'lent'>) {
    this.#db = db
    this.#playback = playback
  }

  /** @throws FarmError not_found */
  async read(jobId: string): Promise<PlayState> {
    const known = this.#reads.get(jobId)
    if (known) return await known
    const reading = this.#readNow(jobId)
    this.#reads.set(jobId, reading)
    return await reading
  }

  async #readNow(jobId: string): Promise<PlayState> {
    const known = this.#playback.knownFilm(jobId)
    const job = await this.#jobOf(jobId, known)
    const problem = problemOf(job)
    if (problem !== null) return stateOf(job, { problem, pieces: [] })
    if (known) return stateOf(job, { problem, pieces: await this.#pieces(jobId, job, known) })
    const film = await this.#playback.loadFilm(jobId)
    if (!film) return stateOf(job, { problem, pieces: [] })
    const again = await this.#jobOf(jobId, film)
    const pieces = await this.#pieces(jobId, again, film)
    return stateOf(again, { problem: problemOf(again), pieces })
  }

  async #pieces(jobId: string, job: PlayStateRow, film: PlayableFilm): Promise<PieceState[]> {
    const { accountId, awaitsOthers, outputKey } = job
    const asks = awaitsOthers && outputKey === null
    const lent = asks ? await this.#playback.lent({ accountId, jobId }, film) : new Set<string>()
    return piecesOf(job, film, lent)
  }

  async #jobOf(jobId: string, film: PlayableFilm | undefined): Promise<PlayStateRow> {
    const fingerprints = film?.fingerprints ?? []
    const job = await findPlayState(this.#db, { jobId, fingerprints })
    if (!job) throw new FarmError('not_found', 'The film’s job must exist. It does not.')
    return job
  }
}

function stateOf(job: PlayStateRow, more: Pick<PlayState, 'problem' | 'pieces'>): PlayState {
  const { name, state } = job
  return { name, state, progress: jobProgress(job), ...more }
}

function problemOf(job: PlayStateRow): string | null {
  const { type, state, error, filesRemovedAt, filmFormat } = job
  if (state === 'failed') return `The film was not rendered: ${sentence(error?.message)}`
  if (state === 'cancelled') return 'The film was not rendered, because its job was cancelled.'
  if (type === 'image') return 'A still has nothing to play.'
  if (filesRemovedAt) return 'The film’s files were removed. Render it again.'
  return (filmFormat === null ? undefined : whyNotPlayable(filmFormat)) ?? null
}

function sentence(text = 'the farm gave no reason'): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}

function piecesOf(job: PlayStateRow, film: PlayableFilm, lent: ReadonlySet<string>): PieceState[] {
  const { frameRate, fingerprints } = film
  const there = new Set([...job.stored, ...lent])
  // Segments that are alike are rendered once, under the name of one of them.
  const written = new Set(job.written)
  for (const [segment, fingerprint] of fingerprints.entries()) {
    if (written.has(`segment-${segment}`)) there.add(fingerprint)
  }
  const isThere = (segment: number) => there.has(fingerprints[segment] ?? '')
  return film.pieces.map(({ start, frames, segments }) => ({
    start: start / frameRate,
    seconds: frames / frameRate,
    isThere: job.outputKey !== null || (segments.length > 0 && segments.every(isThere)),
  }))
}
