import { isDeepStrictEqual } from 'node:util'
import { LRUCache } from 'lru-cache'
import { avcCodec } from '../../core/plan/avc-codec.ts'
import type { Draft } from '../../core/plan/draft.ts'
import { piecesOf } from '../../core/plan/pieces.ts'
import type { Plan } from '../../core/plan/plan.ts'
import type { Db } from '../../store/db/database.ts'
import type { FilmJob } from '../../store/db/playback/find-film.ts'
import { findMakeTask } from '../../store/db/playback/find-make-task.ts'
import { draftKey, planKey } from '../../store/objects/job-keys.ts'
import { ObjectMissingError, type ObjectStore } from '../../store/objects/object-store.ts'
import { codecOf, formatOf, hasSoundTrack, keyFramesOf } from './cut-pieces.ts'
import { missing, notYet } from './film-faults.ts'
import type { FilmFiles } from './film-files.ts'
import type { Mp4File } from './mp4-file.ts'
import { type PlayableFilm, playableFilm, whyNotPlayable } from './playable-film.ts'

const keptFilms = 1_000
/** Time after which a plan is read again for players that have found nothing. */
const trustedMs = 10_000

type Job = { readonly accountId: string; readonly jobId: string }

/**
 * Tables of films' pieces. They come from the plan. A film that one task makes is planned by its node
 * alone and is a single piece. A film that was taken whole from the store is cut at its key frames.
 */
export class FilmTables {
  readonly #db: Db
  readonly #objects: Pick<ObjectStore, 'read'>
  readonly #files: Pick<FilmFiles, 'film'>
  readonly #plans = new LRUCache<string, PlayableFilm>({ max: keptFilms })
  readonly #films = new LRUCache<string, PlayableFilm>({ max: keptFilms })
  /** Jobs whose plans were read lately. */
  readonly #trusted = new LRUCache<string, true>({ max: keptFilms, ttl: trustedMs })
  /** Tables that are being read: players that need one at the same time share it. */
  readonly #reading = new Map<string, Promise<PlayableFilm | undefined>>()

  constructor({
    db,
    objects,
    files,
  }: {
    db: Db
    objects: Pick<ObjectStore, 'read'>
    files: Pick<FilmFiles, 'film'>
  }) {
    this.#db = db
    this.#objects = objects
    this.#files = files
  }

  known(jobId: string): PlayableFilm | undefined {
    return this.#films.get(jobId)
  }

  /** @throws FarmError when the film has no playlist, NotYet when it is not planned */
  async read(jobId: string, job: FilmJob): Promise<PlayableFilm> {
    const known = this.#films.get(jobId)
    if (known) return known
    const why = job.filmFormat === null ? undefined : whyNotPlayable(job.filmFormat)
    if (why !== undefined) throw missing(why)
    if (job.framesTotal === 0 && job.outputKey === null) throw notYet()
    const film = await this.#shared(`film/${jobId}/${job.outputKey}`, async () => {
      const made =
        (await this.planned({ ...job, jobId })) ??
        (await this.#madeWhole({ ...job, jobId })) ??
        (job.outputKey === null ? undefined : filmOfFile(await this.#files.film(job.outputKey)))
      if (made) this.#films.set(jobId, made)
      return made
    })
    if (!film) throw notYet()
    return film
  }

  /**
   * The table for a player that has found nothing by this one: a step that was resumed may have
   * written another plan. It is read once in some seconds, however many players wait.
   */
  async again(job: Job, film: PlayableFilm): Promise<PlayableFilm> {
    const { jobId } = job
    const known = this.#films.get(jobId) ?? film
    if (this.#plans.get(jobId) !== known || this.#trusted.has(jobId)) return known
    this.#trusted.set(jobId, true)
    const read = await this.#shared(`plan/${jobId}`, () => this.#readPlan(job))
    if (!read || isDeepStrictEqual(read, known)) {
      this.#plans.set(jobId, known)
      return known
    }
    this.#films.set(jobId, read)
    return read
  }

  /** The table of a job's plan, whatever its format and state; undefined: there is no plan. */
  async planned(job: Job): Promise<PlayableFilm | undefined> {
    const known = this.#plans.get(job.jobId)
    if (known) return known
    return await this.#shared(`plan/${job.jobId}`, () => this.#readPlan(job))
  }

  async #shared(
    name: string,
    read: () => Promise<PlayableFilm | undefined>,
  ): Promise<PlayableFilm | undefined> {
    const reading = this.#reading.get(name) ?? read().finally(() => this.#reading.delete(name))
    this.#reading.set(name, reading)
    return await reading
  }

  async #readPlan(job: Job): Promise<PlayableFilm | undefined> {
    const text = await this.#readText(planKey(job))
    if (text === undefined) return undefined
    const plan = JSON.parse(text) as Plan
    if (plan.segments.length === 0) return undefined
    const film = playableFilm(plan)
    this.#plans.set(job.jobId, film)
    this.#trusted.set(job.jobId, true)
    return film
  }

  /** The table of a film that one task makes; undefined: the job has no such task. */
  async #madeWhole(job: Job & Pick<FilmJob, 'framesTotal'>): Promise<PlayableFilm | undefined> {
    const task = await findMakeTask(this.#db, job)
    if (!task) return undefined
    const text = task.draft ?? (await this.#readText(draftKey(job)))
    if (text === undefined) return undefined
    const { project, encoder } = JSON.parse(text) as Draft
    const { width, height, frameRate } = project
    return {
      ...{ width, height, frameRate, fingerprints: [], soundDigest: null, hasSound: false },
      codec: avcCodec({ width, height, frameRate, encoder }),
      pieces: [{ start: 0, frames: job.framesTotal, segments: [] }],
    }
  }

  async #readText(key: string): Promise<string | undefined> {
    try {
      return String(await this.#objects.read(key))
    } catch (error) {
      if (error instanceof ObjectMissingError) return undefined
      throw error
    }
  }
}

function filmOfFile(file: Mp4File): PlayableFilm {
  const { keys, frames } = keyFramesOf(file)
  const { width, height, frameRate } = formatOf(file)
  const ranges = keys.map((start, i) => ({ start, frames: (keys[i + 1] ?? frames) - start }))
  return {
    ...{ width, height, frameRate, fingerprints: [], soundDigest: null },
    pieces: piecesOf(ranges, frameRate),
    ...{ hasSound: hasSoundTrack(file), codec: codecOf(file) },
  }
}
