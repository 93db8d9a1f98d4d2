import type { Bulk, BulkRequest } from './api-types.ts'
import type { ActOptions, Body, Caller, CallOptions, Query, Reply } from './caller.ts'
import { endingInTime, type WaitOptions } from './jobs.ts'
import { eachOf } from './pages.ts'
import { sleep } from './retry.ts'

export type AcceptedBulk = Reply<'POST /api/render/bulk/api-key'>
/** State of a bulk, with one page of its jobs. */
export type BulkPage = Reply<'GET /api/render/bulk/{id}'>
/** Items to render again; the failed ones if it is empty. */
export type BulkRetry = Body<'POST /api/render/bulk/{id}/retry'>
export type BulkResult = Reply<'GET /api/render/bulk/{id}/results'>['results'][number]

/** The smallest plan allows a key one request a second. */
const pollMs = 2_000
/** Just before its end a bulk is polled this many times as often. */
const oftenest = 20

/** Methods for bulks: many renders that differ in their variables, in one request. */
export function bulkMethods(caller: Caller) {
  const { ask, act } = caller
  const getBulk = (
    id: string,
    options: CallOptions & Query<'GET /api/render/bulk/{id}'> = {},
  ): Promise<BulkPage> => {
    const { state, page, pageSize, limit, ...rest } = options
    const query = {
      ...(state && { state }),
      ...(page && { page }),
      ...(pageSize && { pageSize }),
      ...(limit && { limit }),
    }
    return ask('GET /api/render/bulk/{id}', { ...rest, id, query })
  }

  return {
    /**
     * Submits a bulk. Valid items are queued, the others are in `errors` by their index. When no
     * item is valid it throws, and the error's `itemErrors` tells why.
     */
    submitBulk: (request: BulkRequest, options: ActOptions = {}): Promise<AcceptedBulk> =>
      act('POST /api/render/bulk/api-key', { ...options, body: request }),

    /** Returns the counts of each state, and a page of the bulk's jobs, optionally of one state. */
    getBulk,

    /** Lists the account's bulks, newest first. */
    listBulks: (options: CallOptions = {}): AsyncGenerator<Bulk> =>
      eachOf((page) => ask('GET /api/render/bulk', { ...options, query: page }), {
        items: ({ bulks }) => bulks,
        key: ({ bulkId }) => bulkId,
      }),

    /** Cancels every unfinished job of the bulk. */
    cancelBulk: (id: string, options: CallOptions = {}): Promise<Bulk> =>
      ask('POST /api/render/bulk/{id}/cancel', { ...options, id }),

    /**
     * Renders the failed items of the bulk again, as a new bulk. `states` takes cancelled ones as well,
     * `jobIds` some of them only.
     */
    retryBulk: (
      id: string,
      { states, jobIds, ...options }: BulkRetry & ActOptions = {},
    ): Promise<AcceptedBulk> =>
      act('POST /api/render/bulk/{id}/retry', {
        ...{ ...options, id },
        body: { ...(states && { states }), ...(jobIds && { jobIds }) },
      }),

    /** Returns a row for each item, as of now. */
    async bulkResults(id: string, options: CallOptions = {}): Promise<readonly BulkResult[]> {
      return (await ask('GET /api/render/bulk/{id}/results', { ...options, id })).results
    },

    /** Returns the results as CSV. */
    bulkResultsCsv: (id: string, options: CallOptions = {}): Promise<string> =>
      caller.fetch(
        'GET /api/render/bulk/{id}/results',
        { ...options, id, query: { format: 'csv' } },
        (response) => response.text(),
      ),

    /**
     * Waits until each of the bulk's jobs has ended, and returns the bulk. `pollMs`: longest
     * interval between polls; 2,000. It is polled more often at the beginning and near the end.
     */
    async waitBulk(
      id: string,
      options: WaitOptions<BulkPage> & { readonly pollMs?: number } = {},
    ): Promise<BulkPage> {
      const ending = endingInTime(options)
      const longestMs = options.pollMs ?? pollMs
      const leftMs = estimateOfLeft()
      for (;;) {
        const bulk = await getBulk(id, { ...ending, pageSize: 1 })
        options.onProgress?.(bulk)
        if (bulk.state === 'finished') return bulk
        const waitMs = Math.max(longestMs / oftenest, Math.min(longestMs, leftMs(bulk) / 4))
        await sleep(waitMs, ending.signal)
      }
    },
  }
}

/** Estimates the remaining time of a bulk, ms, at the pace so far; at least the time since its last progress. */
function estimateOfLeft(): (bulk: BulkPage) => number {
  const begun = performance.now()
  let lastOver = { jobs: 0, at: begun }
  return ({ counts }) => {
    const now = performance.now()
    const { queued, resolving, rendering, assembling, completed, failed, cancelled } = counts
    const open = queued + resolving + rendering + assembling
    const over = completed + failed + cancelled
    if (over > lastOver.jobs) lastOver = { jobs: over, at: now }
    const forTheRest = over === 0 ? 0 : ((now - begun) * open) / over
    return Math.max(forTheRest, now - lastOver.at)
  }
}
