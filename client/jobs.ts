import type { Job, RenderRequest } from './api-types.ts'
import type { ActOptions, Body, Caller, CallOptions, Query, Reply } from './caller.ts'
import { eachOf } from './pages.ts'
import { watchJob } from './watch-job.ts'

export type Accepted = Reply<'POST /api/render/api-key'>
export type Verdict = Reply<'POST /api/render/validate/api-key'>
export type ExamplePlan = Reply<'POST /api/render/creative-plan/api-key'>
export type Repaired = Reply<'POST /api/render/repair/api-key'>
export type Estimate = Reply<'POST /api/credits/estimate'>

/** Which jobs; times are ISO 8601. */
export type JobFilter = Omit<Query<'GET /api/jobs'>, 'page' | 'pageSize' | 'limit'>

export type WaitOptions<Progress> = CallOptions & {
  /** Called with each state that is told. */
  readonly onProgress?: (progress: Progress) => void
  /** Then it throws a TimeoutError; what it waits for goes on. */
  readonly timeoutMs?: number
}

/** Renders, one at a time. */
export function jobMethods(caller: Caller) {
  const { ask, act } = caller
  return {
    /** Asks for a render. Once this resolves it will be rendered, whatever happens. */
    submit: (request: RenderRequest, options: ActOptions = {}): Promise<Accepted> =>
      act('POST /api/render/api-key', { ...options, body: request }),

    /** What `submit` would say, what it would cost, and the project as it would be rendered. */
    validate: (request: RenderRequest, options: CallOptions = {}): Promise<Verdict> =>
      ask('POST /api/render/validate/api-key', { ...options, body: request }),

    /** The payload with those faults mended that can be meant in one way only, and why. */
    repair: (
      payload: Readonly<Record<string, unknown>>,
      options: CallOptions = {},
    ): Promise<Repaired> =>
      ask('POST /api/render/repair/api-key', { ...options, body: { payload } }),

    /** The example of the library that is nearest to the words of a brief. */
    planFromExamples: (
      brief: Body<'POST /api/render/creative-plan/api-key'>,
      options: CallOptions = {},
    ): Promise<ExamplePlan> =>
      ask('POST /api/render/creative-plan/api-key', { ...options, body: brief }),

    /** What a render would cost. */
    estimate: (request: RenderRequest, options: CallOptions = {}): Promise<Estimate> =>
      ask('POST /api/credits/estimate', { ...options, body: request }),

    getJob: (id: string, options: CallOptions = {}): Promise<Job> =>
      ask('GET /api/jobs/{id}', { ...options, id }),

    /** The account's jobs, newest first. */
    listJobs: (filter: JobFilter = {}, options: CallOptions = {}): AsyncGenerator<Job> =>
      eachOf((page) => ask('GET /api/jobs', { ...options, query: { ...filter, ...page } }), {
        items: ({ jobs }) => jobs,
        key: ({ id }) => id,
      }),

    /** Ends a job; what was painted is charged. One that is over stays as it is. */
    cancelJob: (id: string, options: CallOptions = {}): Promise<Job> =>
      ask('POST /api/jobs/{id}/cancel', { ...options, id }),

    /** A job as it is now and whenever it changes, until it is over. */
    watch: (id: string, options: CallOptions = {}): AsyncGenerator<Job> =>
      watchJob(caller, id, options),

    /** The job once it is over: completed, failed or cancelled. */
    async wait(id: string, options: WaitOptions<Job> = {}): Promise<Job> {
      const { onProgress } = options
      let last: Job | undefined
      for await (const job of watchJob(caller, id, endingInTime(options))) {
        onProgress?.(job)
        last = job
      }
      if (last === undefined) throw new TypeError('a watched job must be told at least once')
      return last
    },
  }
}

/** A wait's options for its calls: its time is up when the signal says so. */
export function endingInTime({
  signal,
  retries,
  timeoutMs,
}: Omit<WaitOptions<never>, 'onProgress'>): CallOptions {
  const late = timeoutMs === undefined ? [] : [AbortSignal.timeout(timeoutMs)]
  return {
    signal: AbortSignal.any([...(signal ? [signal] : []), ...late]),
    ...(retries !== undefined && { retries }),
  }
}
