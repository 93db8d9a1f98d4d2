import { LRUCache } from 'lru-cache'
import { Batcher, KeyedBatcher } from '../../runtime/batcher.ts'
import { getArtifacts } from '../../store/db/artifacts/get-artifacts.ts'
import type { Db } from '../../store/db/database.ts'
import { type FilmJob, findFilm } from '../../store/db/playback/find-film.ts'
import { findSegment } from '../../store/db/playback/find-segment.ts'
import { findWritten, outputId } from '../../store/db/playback/find-written.ts'
import { type JobOutput, wantOutputs } from '../../store/db/playback/want-outputs.ts'
import { assertPlayable } from './film-faults.ts'
import { FilmLenders } from './film-lenders.ts'
import { type Need, needOf } from './film-needs.ts'
import type { FilmTables } from './film-tables.ts'

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
  readonly #lenders: FilmLenders
  readonly #jobs = new LRUCache<string, Promise<FilmJob | undefined>>({
    ...{ max: keptJobs, ttl: keptMs },
  })
  readonly #looks: KeyedBatcher<readonly Need[], Found>
  /** Outputs whose shards were moved lately. */
  readonly #led = new LRUCache<string, true>({ max: ledMax, ttl: leadMs })

  /** `db` sees all accounts: a signed address is the permission. */
  constructor(db: Db, tables: Pick<FilmTables, 'planned'>) {
    this.#db = db
    this.#lenders = new FilmLenders(db, tables)
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

  /** Finds a segment of a film that is there already, whichever it is: its object. */
  async anySegment(jobId: string, fingerprints: readonly string[]): Promise<string | undefined> {
    return await findSegment(this.#db, { jobId, fingerprints })
  }

  /** Other jobs of the account that render parts of this one. */
  lendersOf(jobId: string): readonly string[] {
    return this.#lenders.known(jobId)
  }

  /** Finds segments of a film that other jobs of its account have written: their digests. */
  async lent(
    job: { accountId: string; jobId: string },
    fingerprints: readonly string[],
  ): Promise<ReadonlySet<string>> {
    const lent = await this.#lenders.find(
      job,
      [...new Set(fingerprints)].map((digest) => needOf(digest)),
    )
    const written = await this.#written(job.accountId, lent)
    return new Set([...written.keys()].map(({ digest }) => digest))
  }

  async #lookFor(jobId: string, all: readonly (readonly Need[])[]): Promise<Found[]> {
    const job = assertPlayable(await findFilm(this.#db, jobId))
    // All is in the finished file.
    if (job.outputKey !== null) return all.map(() => ({ job, keys: [] }))
    const { accountId, awaitsOthers } = job
    const needs = all.flat()
    const own = new Map(
      needs.map((need) => [need, need.names.map((name) => ({ jobId, name }))] as const),
    )
    const found = new Map(await this.#found(accountId, own))
    const left = needs.filter((need) => !found.has(need))
    if (left.length > 0 && awaitsOthers) {
      const lent = await this.#lenders.find({ accountId, jobId }, left)
      for (const [need, key] of await this.#written(accountId, lent)) found.set(need, key)
      for (const [need, outputs] of lent) own.set(need, [...(own.get(need) ?? []), ...outputs])
    }
    const absent = needs.filter((need) => !found.has(need))
    await this.#lead(accountId, unique(absent.flatMap((need) => own.get(need) ?? [])))
    return all.map((each) => ({ job, keys: each.map((need) => found.get(need)) }))
  }

  /** Finds objects that are stored under the digests, or that the outputs have been written to. */
  async #found(accountId: string, outputs: OutputsOf): Promise<ReadonlyMap<Need, string>> {
    const needs = [...outputs.keys()]
    const [segments, sounds, written] = await Promise.all([
      this.#stored(accountId, 'segment', needs),
      this.#stored(accountId, 'sound', needs),
      this.#written(accountId, outputs),
    ])
    const stored = { segment: segments, sound: sounds, film: new Map<string, never>() }
    const keyOf = (need: Need) => stored[need.kind].get(need.digest)?.objectKey ?? written.get(need)
    return withKeys(needs, keyOf)
  }

  async #stored(accountId: string, kind: 'segment' | 'sound', needs: readonly Need[]) {
    const digests = new Set(needs.filter((need) => need.kind === kind).map(({ digest }) => digest))
    if (digests.size === 0) return new Map<string, never>()
    return await getArtifacts(this.#db, { accountId, kind, digests: [...digests] })
  }

  async #written(accountId: string, outputs: OutputsOf): Promise<ReadonlyMap<Need, string>> {
    const all = unique([...outputs.values()].flat())
    const keys = await findWritten(this.#db, { accountId, outputs: all })
    const keyOf = (need: Need) =>
      outputs.get(need)?.flatMap((output) => keys.get(outputId(output)) ?? [])[0]
    return withKeys([...outputs.keys()], keyOf)
  }

  async #lead(accountId: string, outputs: readonly JobOutput[]): Promise<void> {
    const ids = outputs.map(outputId)
    if (ids.every((id) => this.#led.has(id))) return
    for (const id of ids) this.#led.set(id, true)
    await wantOutputs(this.#db, { accountId, outputs })
  }
}

type OutputsOf = ReadonlyMap<Need, readonly JobOutput[]>

function withKeys(needs: readonly Need[], keyOf: (need: Need) => string | undefined) {
  return new Map(
    needs.flatMap((need) => {
      const key = keyOf(need)
      return key === undefined ? [] : [[need, key] as const]
    }),
  )
}

function unique(outputs: readonly JobOutput[]): readonly JobOutput[] {
  return [...new Map(outputs.map((output) => [outputId(output), output])).values()]
}
