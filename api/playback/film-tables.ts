import { LRUCache } from 'lru-cache'
import { piecesOf } from '../../core/plan/pieces.ts'
import type { Plan } from '../../core/plan/plan.ts'
import type { FilmJob } from '../../store/db/playback/find-film.ts'
import { planKey } from '../../store/objects/job-keys.ts'
import { ObjectMissingError, type ObjectStore } from '../../store/objects/object-store.ts'
import { formatOf, hasSoundTrack, keyFramesOf } from './cut-pieces.ts'
import { missing, notYet } from './film-faults.ts'
import type { FilmFiles } from './film-files.ts'
import type { Mp4File } from './mp4-file.ts'
import { type PlayableFilm, playableFilm, whyNotPlayable } from './playable-film.ts'

const keptFilms = 1_000

/** Tables of films' pieces: of the plan, or else of the finished file's key frames. */
export class FilmTables {
  readonly #objects: Pick<ObjectStore, 'read'>
  readonly #files: Pick<FilmFiles, 'film'>
  readonly #plans = new LRUCache<string, PlayableFilm>({ max: keptFilms })
  readonly #films = new LRUCache<string, PlayableFilm>({ max: keptFilms })

  constructor(objects: Pick<ObjectStore, 'read'>, files: Pick<FilmFiles, 'film'>) {
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
    const film =
      (await this.planned({ ...job, jobId })) ??
      (job.outputKey === null ? undefined : filmOfFile(await this.#files.film(job.outputKey)))
    if (!film) throw notYet()
    this.#films.set(jobId, film)
    return film
  }

  /** The table of a job's plan, whatever its format and state; undefined: there is no plan. */
  async planned(job: { accountId: string; jobId: string }): Promise<PlayableFilm | undefined> {
    const known = this.#plans.get(job.jobId)
    if (known) return known
    try {
      const plan = JSON.parse(String(await this.#objects.read(planKey(job)))) as Plan
      if (plan.segments.length === 0) return undefined
      const film = playableFilm(plan)
      this.#plans.set(job.jobId, film)
      return film
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
    hasSound: hasSoundTrack(file),
  }
}
