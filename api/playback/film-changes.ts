import type { JobChanges } from '../jobs/job-changes.ts'

/** Changes of a film within this time wake its players once. */
const coalesceMs = 100
/** Longest sleep: a notification may be lost, and another job may begin to render a part. */
const longestSleepMs = 2_000

type Sleepers = { readonly wakes: Set<() => void>; timer: NodeJS.Timeout; isAwaking: boolean }

/** Lets players of a film sleep until its job has changed. All of them wake together. */
export class FilmChanges {
  readonly #jobs: Pick<JobChanges, 'tell' | 'start'>
  readonly #sleeping = new Map<string, Sleepers>()

  constructor(jobs: Pick<JobChanges, 'tell' | 'start'>) {
    this.#jobs = jobs
    jobs.tell((jobId) => {
      for (const each of jobId === undefined ? [...this.#sleeping.keys()] : [jobId]) {
        this.#wakeSoon(each)
      }
    })
  }

  /** Returns after the next change of one of these jobs, or at the latest after two seconds. */
  async next(jobIds: readonly string[]): Promise<void> {
    this.#jobs.start()
    await Promise.race(jobIds.map((jobId) => this.#nextOf(jobId)))
  }

  #nextOf(jobId: string): Promise<void> {
    return new Promise((resolve) => {
      const film = this.#sleeping.get(jobId) ?? this.#fallAsleep(jobId)
      film.wakes.add(resolve)
    })
  }

  /** The first sleeper's longest sleep is that of all: they wake together without a change, too. */
  #fallAsleep(jobId: string): Sleepers {
    const timer = setTimeout(() => this.#wake(jobId), longestSleepMs).unref()
    const film: Sleepers = { wakes: new Set(), timer, isAwaking: false }
    this.#sleeping.set(jobId, film)
    return film
  }

  #wake(jobId: string): void {
    const film = this.#sleeping.get(jobId)
    if (!film) return
    this.#sleeping.delete(jobId)
    clearTimeout(film.timer)
    for (const wake of film.wakes) wake()
  }

  #wakeSoon(jobId: string): void {
    const film = this.#sleeping.get(jobId)
    if (!film || film.isAwaking) return
    film.isAwaking = true
    clearTimeout(film.timer)
    film.timer = setTimeout(() => this.#wake(jobId), coalesceMs)
  }
}
