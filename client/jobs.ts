import { type AccountEvent, type EventOptions, watchAccount } from './account-events.ts'
import type { Job, RenderRequest } from './api-types.ts'
import type { ActOptions, Body, Caller, CallOptions, Query, Reply } from './caller.ts'
import { eachOf } from './pages.ts'
import { watchJob } from './watch-job.ts'

export type Accepted = Reply<'POST /api/render/api-key'>
export type Verdict = Reply<'POST /api/render/validate/api-key'>
export type ExamplePlan = Reply<'POST /api/render/creative-plan/api-key'>
export type Repaired = Reply<'POST /api/render/repair/api-key'>
export type JobTimeline = Reply<'GET /api/jobs/{id}/timeline'>
export type JobExplanation = Reply<'GET /api/jobs/{id}/explain'>
export type SentRequest = Reply<'GET /api/jobs/{id}/request'>
export type JobRetry = Body<'POST /api/jobs/{id}/retry'>
export type Estimate = Reply<'POST /api/credits/estimate'>

/** Filter of jobs; times are ISO 8601. */
export type JobFilter = Omit<Query<'GET /api/jobs'>, 'page' | 'pageSize' | 'limit'>

export type WaitOptions<Progress> = CallOptions & {
  /** Called with each state received. */
  readonly onProgress?: (progress: Progress) => void
  /** Time limit, after which it throws a TimeoutError; the render itself continues. */
  readonly timeoutMs?: number
}

/** Methods for renders, one at a time. */
export function jobMethods(caller: Caller) {
  const { ask, act } = caller
  return {
    /** Submits a render. Once this resolves, the farm will render it, even if this process ends. */
    submit: (request: RenderRequest, options: ActOptions = {}): Promise<Accepted> =>
      act('POST /api/render/api-key', { ...options, body: request }),

    /**
     * Validates a request: the response of `submit`, the cost, and the project as it would be rendered.
     */
    validate: (request: RenderRequest, options: CallOptions = {}): Promise<Verdict> =>
      ask('POST /api/render/validate/api-key', { ...options, body: request }),

    /** Repairs the payload's unambiguous faults, and tells why. */
    repair: (
      payload: Readonly<Record<string, unknown>>,
      options: CallOptions = {},
    ): Promise<Repaired> =>
      ask('POST /api/render/repair/api-key', { ...options, body: { payload } }),

    /** Finds the example of the library nearest to the words of a brief. */
    planFromExamples: (
      brief: Body<'POST /api/render/creative-plan/api-key'>,
      options: CallOptions = {},
    ): Promise<ExamplePlan> =>
      ask('POST /api/render/creative-plan/api-key', { ...options, body: brief }),

    /** Returns the cost of a render. */
    estimate: (request: RenderRequest, options: CallOptions = {}): Promise<Estimate> =>
      ask('POST /api/credits/estimate', { ...options, body: request }),

    getJob: (id: string, options: CallOptions = {}): Promise<Job> =>
      ask('GET /api/jobs/{id}', { ...options, id }),

    /**
     * Returns the small JPEG of a completed film or still; one whose files were removed has none.
     * `maxBytes`: a larger one is reduced.
     */
    thumbnail: (
      id: string,
      { maxBytes, ...options }: CallOptions & { readonly maxBytes?: number } = {},
    ): Promise<Uint8Array> =>
      caller.fetch<Uint8Array>(
        'GET /api/jobs/{id}/thumbnail',
        { ...options, id, query: { ...(maxBytes !== undefined && { maxBytes }) } },
        async (response) => new Uint8Array(await response.arrayBuffer()),
      ),

    /** Lists the account's jobs, newest first. */
    listJobs: (filter: JobFilter = {}, options: CallOptions = {}): AsyncGenerator<Job> =>
      eachOf((page) => ask('GET /api/jobs', { ...options, query: { ...filter, ...page } }), {
        items: ({ jobs }) => jobs,
        key: ({ id }) => id,
      }),

    /** Cancels a job; painted frames are charged. A job that has ended is unchanged. */
    cancelJob: (id: string, options: CallOptions = {}): Promise<Job> =>
      ask('POST /api/jobs/{id}/cancel', { ...options, id }),

    /** Returns stages, tasks, attempts and segments of a job. */
    timeline: (id: string, options: CallOptions = {}): Promise<JobTimeline> =>
      ask('GET /api/jobs/{id}/timeline', { ...options, id }),

    /** Explains where the time of a job went: stages, steps, slowest frames and elements, advice. */
    explain: (id: string, options: CallOptions = {}): Promise<JobExplanation> =>
      ask('GET /api/jobs/{id}/explain', { ...options, id }),

    /** Returns the request of a job as it was sent, ready to be sent again. */
    requestOf: (id: string, options: CallOptions = {}): Promise<SentRequest> =>
      ask('GET /api/jobs/{id}/request', { ...options, id }),

    /** Renders the request of an ended job again, as a new job. */
    retry: (id: string, change: JobRetry = {}, options: ActOptions = {}): Promise<Accepted> =>
      act('POST /api/jobs/{id}/retry', { ...options, id, body: change }),

    /** Yields a job now and at each change, until it has ended. */
    watch: (id: string, options: CallOptions = {}): AsyncGenerator<Job> =>
      watchJob(caller, id, options),

    /** Yields what happens to all jobs, bulks and credits of the account, without an end. */
    events: (options: EventOptions = {}): AsyncGenerator<AccountEvent> =>
      watchAccount(caller, options),

    /** Waits for a job to end (completed, failed or cancelled) and returns it. */
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

/** Options for the calls of a wait, whose signal aborts at the time limit. */
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
