import { LRUCache } from 'lru-cache'
import type { Plan } from '../../core/plan/plan.ts'
import { planKey } from '../../store/objects/job-keys.ts'
import { ObjectMissingError, type ObjectStore } from '../../store/objects/object-store.ts'

const cachedFilms = 200

/** A segment of a film's plan: its first frame, its number of frames, and what decides its bytes. */
export type Cut = { readonly start: number; readonly frames: number; readonly fingerprint: string }

/** Reads how films are cut. A plan never changes, so that it is read once. */
export class FilmCuts {
  readonly #objects: Pick<ObjectStore, 'read'>
  readonly #known = new LRUCache<string, readonly Cut[]>({ max: cachedFilms })

  constructor(objects: Pick<ObjectStore, 'read'>) {
    this.#objects = objects
  }

  /** Empty: there is no plan yet, or no longer. */
  async read(job: { accountId: string; jobId: string }): Promise<readonly Cut[]> {
    const known = this.#known.get(job.jobId)
    if (known) return known
    try {
      const plan = JSON.parse(String(await this.#objects.read(planKey(job)))) as Plan
      const cuts = plan.segments.map(({ start, frames, fingerprint }) => ({
        ...{ start, frames, fingerprint },
      }))
      this.#known.set(job.jobId, cuts)
      return cuts
    } catch (error) {
      if (error instanceof ObjectMissingError) return []
      throw error
    }
  }
}
