import type { Quote, QuoteRequest } from './api-types.ts'
import type { ActOptions, Caller, CallOptions, Reply } from './caller.ts'

export type NewQuote = Reply<'POST /api/quotes'>
export type RenderedQuote = Reply<'POST /api/quotes/{id}/render'>

/** Methods for quotes: a price that is kept for 15 minutes, and rendered once. */
export function quoteMethods({ ask, act }: Caller) {
  return {
    /** Prices a payload, template or project; with `items`, a bulk. Creates no job. */
    create: (request: QuoteRequest, options: ActOptions = {}): Promise<NewQuote> =>
      act('POST /api/quotes', { ...options, body: request }),

    get: (id: string, options: CallOptions = {}): Promise<Quote> =>
      ask('GET /api/quotes/{id}', { ...options, id }),

    /** Makes the quote's one job or bulk; repeated, it answers the same. */
    render: (id: string, options: CallOptions = {}): Promise<RenderedQuote> =>
      ask('POST /api/quotes/{id}/render', { ...options, id }),
  }
}
