import type { Bulk, BulkRequest } from './api-types.ts'
import type { ActOptions, Caller, CallOptions, Query, Reply } from './caller.ts'
import { endingInTime, type WaitOptions } from './jobs.ts'
import { eachOf } from './pages.ts'
import { sleep } from './retry.ts'

export type AcceptedBulk = Reply<'POST /api/render/bulk/api-key'>
/** How a bulk is, with one page of its jobs. */
export type BulkPage = Reply<'GET /api/render/bulk/{id}'>
export type BulkResult = Reply<'GET /api/render/bulk/{id}/results'>['results'][number]

/** A key may ask once a second on the smallest plan. */
const pollMs = 2_000

/** Many renders that differ in their variables, under one request. */
export function bulkMethods(caller: Caller) {
  const { ask, act } = caller
  const getBulk = (
    id: string,
    options: CallOptions & Query<'GET /api/render/bulk/{id}'> = {},
  ): Promise<BulkPage> => {
    const { state, page, pageSize, ...rest } = options
    const query = { ...(state && { state }), ...(page && { page }), ...(pageSize && { pageSize }) }
    return ask('GET /api/render/bulk/{id}', { ...rest, id, query })
  }

  return {
    /**
     * Valid items are queued, the others stand in `errors` by their index. When no item is valid it
     * throws, and the error's `itemErrors` says why.
     */
    submitBulk: (request: BulkRequest, options: ActOptions = {}): Promise<AcceptedBulk> =>
      act('POST /api/render/bulk/api-key', { ...options, body: request }),

    /** Counts for each state, and a page of the bulk's jobs, of one state if asked. */
    getBulk,

    /** The account's bulks, newest first. */
    listBulks: (options: CallOptions = {}): AsyncGenerator<Bulk> =>
      eachOf((page) => ask('GET /api/render/bulk', { ...options, query: page }), {
        items: ({ bulks }) => bulks,
        key: ({ bulkId }) => bulkId,
      }),

    /** Ends every job of it that is not over. */
    cancelBulk: (id: string, options: CallOptions = {}): Promise<Bulk> =>
      ask('POST /api/render/bulk/{id}/cancel', { ...options, id }),

    /** A row for each item, as things stand. */
    async bulkResults(id: string, options: CallOptions = {}): Promise<readonly BulkResult[]> {
      return (await ask('GET /api/render/bulk/{id}/results', { ...options, id })).results
    },

    /** The same as CSV. */
    bulkResultsCsv: (id: string, options: CallOptions = {}): Promise<string> =>
      caller.fetch(
        'GET /api/render/bulk/{id}/results',
        { ...options, id, query: { format: 'csv' } },
        (response) => response.text(),
      ),

    /** The bulk once each of its jobs is over. `pollMs`: how often it is looked at; 2,000. */
    async waitBulk(
      id: string,
      options: WaitOptions<BulkPage> & { readonly pollMs?: number } = {},
    ): Promise<BulkPage> {
      const ending = endingInTime(options)
      for (;;) {
        const bulk = await getBulk(id, { ...ending, pageSize: 1 })
        options.onProgress?.(bulk)
        if (bulk.state === 'finished') return bulk
        await sleep(options.pollMs ?? pollMs, ending.signal)
      }
    },
  }
}
