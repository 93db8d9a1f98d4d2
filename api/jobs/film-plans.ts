import { LRUCache } from 'lru-cache'
import type { Plan } from '../../core/plan/plan.ts'
import { type ElementTimes, elementTimesOf } from '../../core/timeline/elements-at.ts'
import { planKey } from '../../store/objects/job-keys.ts'
import { ObjectMissingError, type ObjectStore } from '../../store/objects/object-store.ts'

/** Segments and elements of all films together: about 20 MB. */
const cachedParts = 200_000

/** A segment of a film's plan: its first frame, its number of frames, and what decides its bytes. */
export type Cut = { readonly start: number; readonly frames: number; readonly fingerprint: string }

/** Parts of a film's plan that its job's page shows. */
export type FilmPlan = { readonly cuts: readonly Cut[]; readonly times: ElementTimes }

type Job = { readonly accountId: string; readonly jobId: string }

/** Reads how films are cut and when their elements are seen. A plan never changes, so that it is read once. */
export class FilmPlans {
  readonly #plans: LRUCache<string, FilmPlan, Job>

  constructor(objects: Pick<ObjectStore, 'read'>) {
    this.#plans = new LRUCache<string, FilmPlan, Job>({
      maxSize: cachedParts,
      sizeCalculation: ({ cuts, times }) => 1 + cuts.length + partsOf(times),
      // Requests at the same time share one reading.
      fetchMethod: async (_id, _stale, { context }) => await readPlan(objects, context),
    })
  }

  /** Undefined: there is no plan yet, or no longer. */
  async read(job: Job): Promise<FilmPlan | undefined> {
    return await this.#plans.fetch(job.jobId, { context: job })
  }
}

async function readPlan(
  objects: Pick<ObjectStore, 'read'>,
  job: Job,
): Promise<FilmPlan | undefined> {
  try {
    const { segments, timeline } = JSON.parse(String(await objects.read(planKey(job)))) as Plan
    const cuts = segments.map(({ start, frames, fingerprint }) => ({ start, frames, fingerprint }))
    return { cuts, times: elementTimesOf(timeline) }
  } catch (error) {
    if (error instanceof ObjectMissingError) return undefined
    throw error
  }
}

const partsOf = ({ scenes, elements }: ElementTimes) =>
  scenes.reduce((sum, scene) => sum + 1 + scene.elements.length, elements.length)
