import { LRUCache } from 'lru-cache'
import type { Db } from '../../store/db/database.ts'
import { findLenders } from '../../store/db/playback/find-lenders.ts'
import type { JobOutput } from '../../store/db/playback/want-outputs.ts'
import type { Need } from './film-needs.ts'
import type { FilmTables } from './film-tables.ts'
import type { PlayableFilm } from './playable-film.ts'

type Job = { readonly accountId: string; readonly jobId: string }

const keptJobs = 1_000

/**
 * Finds parts of a film that other jobs of its account render: two jobs never render the same
 * segment (decision 0029).
 */
export class FilmLenders {
  readonly #db: Db
  readonly #tables: Pick<FilmTables, 'planned'>
  readonly #known = new LRUCache<string, readonly string[]>({ max: keptJobs })

  constructor(db: Db, tables: Pick<FilmTables, 'planned'>) {
    this.#db = db
    this.#tables = tables
  }

  /** Jobs that rendered parts of this one when it was last looked at. */
  known(jobId: string): readonly string[] {
    return this.#known.get(jobId) ?? []
  }

  /** Returns the outputs of other jobs that are the same as what is needed. */
  async find(job: Job, needs: readonly Need[]): Promise<ReadonlyMap<Need, readonly JobOutput[]>> {
    const lenders = await findLenders(this.#db, job)
    this.#known.set(job.jobId, lenders)
    const films = await Promise.all(
      lenders.map(async (jobId) => ({
        jobId,
        film: await this.#tables.planned({ jobId, accountId: job.accountId }),
      })),
    )
    const outputsOf = (need: Need) =>
      films.flatMap(({ jobId, film }) => namesIn(film, need).map((name) => ({ jobId, name })))
    return new Map(needs.map((need) => [need, outputsOf(need)]))
  }
}

function namesIn(film: PlayableFilm | undefined, { kind, digest }: Need): readonly string[] {
  if (!film || kind === 'film') return []
  if (kind === 'sound') return film.soundDigest === digest ? ['sound'] : []
  return film.fingerprints.flatMap((each, i) => (each === digest ? [`segment-${i}`] : []))
}
