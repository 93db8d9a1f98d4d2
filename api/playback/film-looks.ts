import { LRUCache } from 'lru-cache'
import { Batcher, KeyedBatcher } from '../../runtime/batcher.ts'
import { getArtifacts } from '../../store/db/artifacts/get-artifacts.ts'
import type { Db } from '../../store/db/database.ts'
import { type FilmJob, findFilm } from '../../store/db/playback/find-film.ts'
import { findWritten } from '../../store/db/playback/find-written.ts'
import { wantOutputs } from '../../store/db/playback/want-outputs.ts'
import { assertPlayable } from './film-faults.ts'

/** An object that a player needs: stored under its digest, or written under one of the names. */
export type Need = {
  readonly kind: 'segment' | 'sound'
  readonly digest: string
  readonly names: readonly string[]
}

/** `keys`: objects in the order of the needs; undefined where one is not rendered yet. */
export type Found = { readonly job: FilmJob; readonly keys: readonly (string | undefined)[] }

const looksAtOnce = 1_000
/** Age at which a film's job is read again for requests that wait for nothing. */
const keptMs = 250
const keptJobs = 1_000
/** Time after which the shards of missing objects are moved to the front again. */
const leadMs = 2_000
const ledMax = 10_000

/**
 * Looks for what players need of films. Players of one film share its reads, however many they are.
 * The shards of missing objects go first among those of their account, while players look for them.
 */
export class FilmLooks {
  readonly #db: Db
  readonly #jobs = new LRUCache<string, Promise<FilmJob | undefined>>({
    ...{ max: keptJobs, ttl: keptMs },
  })
  readonly #looks: KeyedBatcher<readonly Need[], Found>
  /** Outputs whose shards were moved lately. */
  readonly #led = new LRUCache<string, true>({ max: ledMax, ttl: leadMs })

  /** `db` sees all accounts: a signed address is the permission. */
  constructor(db: Db) {
    this.#db = db
    const most = looksAtOnce
    this.#looks = new KeyedBatcher(
      (jobId) => new Batcher((all) => this.#lookFor(jobId, all), { most }),
    )
  }

  /** @throws FarmError when there is no such film, or it will never be played */
  async job(jobId: string): Promise<FilmJob> {
    const reading = this.#jobs.get(jobId) ?? findFilm(this.#db, jobId)
    this.#jobs.set(jobId, reading, { noUpdateTTL: true })
    return assertPlayable(await reading)
  }

  /** @throws FarmError as `job` does */
  async look(jobId: string, needs: readonly Need[]): Promise<Found> {
    return await this.#looks.submit(jobId, needs)
  }

  async #lookFor(jobId: string, all: readonly (readonly Need[])[]): Promise<Found[]> {
    const job = assertPlayable(await findFilm(this.#db, jobId))
    const needs = all.flat()
    const { accountId } = job
    // All is in the finished file.
    if (job.outputKey !== null) return all.map(() => ({ job, keys: [] }))
    const [segments, sounds, written] = await Promise.all([
      this.#stored(accountId, 'segment', needs),
      this.#stored(accountId, 'sound', needs),
      findWritten(this.#db, {
        accountId,
        jobId,
        names: unique(needs.flatMap(({ names }) => names)),
      }),
    ])
    const keyOf = ({ kind, digest, names }: Need) =>
      (kind === 'segment' ? segments : sounds).get(digest)?.objectKey ??
      written.get(names.find((name) => written.has(name)) ?? '')
    const absent = needs.filter((need) => keyOf(need) === undefined)
    await this.#lead({ accountId, jobId, names: unique(absent.flatMap(({ names }) => names)) })
    return all.map((each) => ({ job, keys: each.map(keyOf) }))
  }

  async #stored(accountId: string, kind: Need['kind'], needs: readonly Need[]) {
    const digests = unique(needs.filter((need) => need.kind === kind).map(({ digest }) => digest))
    if (digests.length === 0) return new Map<string, never>()
    return await getArtifacts(this.#db, { accountId, kind, digests })
  }

  async #lead(want: { accountId: string; jobId: string; names: readonly string[] }): Promise<void> {
    const keys = want.names.map((name) => `${want.jobId}/${name}`)
    if (keys.every((key) => this.#led.has(key))) return
    for (const key of keys) this.#led.set(key, true)
    const outputs = want.names.map((name) => ({ jobId: want.jobId, name }))
    await wantOutputs(this.#db, { accountId: want.accountId, outputs })
  }
}

const unique = (texts: readonly string[]) => [...new Set(texts)]
