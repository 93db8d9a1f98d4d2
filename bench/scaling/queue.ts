import type { BacklogLane } from '../../core/queue/backlog.ts'
import { type Job, type Kind, kinds, type Load, type Pool } from './load.ts'

/** A job under way: its tasks that wait, and those that have not ended. */
export type OpenJob = Job & { waiting: number; open: number; startedAt: number | undefined }

/** The queued tasks of one account and kind, in the order of their jobs. */
type Lane = { readonly account: string; readonly kind: Kind; readonly jobs: OpenJob[] }

/** The farm's queue: lanes by account and kind, whose accounts run at most their burst. */
export class Queue {
  readonly #lanes = new Map<string, Lane>()
  readonly #running = new Map<string, number>()
  readonly #burst: Load['burst']

  constructor(burst: Load['burst']) {
    this.#burst = burst
  }

  add(job: Job): OpenJob {
    const open = { ...job, waiting: job.tasks, open: job.tasks, startedAt: undefined }
    const key = `${job.account} ${job.kind}`
    const lane = this.#lanes.get(key) ?? { account: job.account, kind: job.kind, jobs: [] }
    this.#lanes.set(key, lane)
    lane.jobs.push(open)
    return open
  }

  /** Takes the task that waits longest and fits into the slots, if any. */
  take(pool: Pool, freeSlots: number): OpenJob | undefined {
    let first: Lane | undefined
    for (const lane of this.#lanes.values()) {
      const { slots, pool: of } = kinds[lane.kind]
      if (of !== pool || slots > freeSlots || lane.jobs.length === 0) continue
      if (this.#leftOf(lane.account) < 1) continue
      if (first === undefined || (lane.jobs[0]?.at ?? 0) < (first.jobs[0]?.at ?? 0)) first = lane
    }
    const job = first?.jobs[0]
    if (first === undefined || job === undefined) return undefined
    job.waiting -= 1
    if (job.waiting === 0) first.jobs.shift()
    this.#running.set(job.account, this.#runningOf(job.account) + 1)
    return job
  }

  /** Ends a running task: it is done, or lost and queued again before all others of its lane. */
  release(job: OpenJob, { isDone }: { isDone: boolean }): void {
    this.#running.set(job.account, this.#runningOf(job.account) - 1)
    if (isDone) {
      job.open -= 1
      return
    }
    job.waiting += 1
    const jobs = this.#lanes.get(`${job.account} ${job.kind}`)?.jobs
    if (jobs && !jobs.includes(job)) jobs.unshift(job)
  }

  /** Tasks of a pool that wait, whatever holds them back. */
  waitingIn(pool: Pool): number {
    return this.#ofPool(pool).reduce((sum, lane) => sum + waitingOf(lane), 0)
  }

  /** Facts for core/queue/backlog.ts. */
  facts(): { lanes: BacklogLane[]; accounts: { id: string; left: number }[] } {
    const lanes = [...this.#lanes.values()].filter(({ jobs }) => jobs.length > 0)
    const names = new Set(lanes.map(({ account }) => account))
    return {
      lanes: lanes.map((lane) => {
        const { pool, slots, seconds } = kinds[lane.kind]
        const queued = waitingOf(lane)
        const tasks = Math.min(queued, Math.max(0, this.#leftOf(lane.account)))
        return { accountId: lane.account, pools: [pool], tasks, queued, slots, seconds }
      }),
      accounts: [...names].map((id) => ({ id, left: this.#leftOf(id) })),
    }
  }

  #ofPool(pool: Pool): readonly Lane[] {
    return [...this.#lanes.values()].filter(({ kind }) => kinds[kind].pool === pool)
  }

  #leftOf(account: string): number {
    return this.#burst(account) - this.#runningOf(account)
  }

  #runningOf(account: string): number {
    return this.#running.get(account) ?? 0
  }
}

function waitingOf({ jobs }: Lane): number {
  return jobs.reduce((sum, { waiting }) => sum + waiting, 0)
}
