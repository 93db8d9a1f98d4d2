import { randomUUID } from 'node:crypto'
import { FarmError } from '../../core/errors.ts'
import { QuoteRequest } from '../../core/project/schema/quote.ts'
import { getQuote, type Quote } from '../../store/db/quotes/get-quote.ts'
import { insertQuote, openQuotesMax, quoteMinutes } from '../../store/db/quotes/insert-quote.ts'
import { bulkIdOf } from '../bulks/bulk-id.ts'
import type { ApiContext } from '../context.ts'
import type { Credential } from '../gateway/caller.ts'
import { readJson } from '../gateway/json-text.ts'
import { Problem, ProblemError, submissionProblems } from '../gateway/problem.ts'
import type { Server } from '../gateway/typed-server.ts'
import { isQuoteId, QuoteParams, quoteIdOf, quoteNotFound } from './quote-id.ts'
import { readQuoteRequest } from './quote-request.ts'
import { findingsOf, NewQuoteView, QuoteView, Rendered, showQuote } from './quote-view.ts'
import { type Asked, findMade, readingOf, renderQuote } from './render-quote.ts'

const tags = ['quotes']
const config = { credentials: ['key', 'session'], scope: 'render' } as const

/**
 * POST /api/quotes: keeps the price of a render or a bulk for 15 minutes; costs nothing. GET
 * …/{id}. POST …/{id}/render makes its one job or bulk, however often it is sent.
 */
export function quoteRoutes(server: Server, context: ApiContext): void {
  const { sealKeys } = context
  const making = { tags, response: { 201: NewQuoteView, ...submissionProblems } }
  server.post(
    '/api/quotes',
    { schema: making, config: { ...config, body: QuoteRequest } },
    async (request, reply) => {
      const { db, account, body, idempotency } = request
      const quoted = await readQuoteRequest(readJson(body), readingOf(request, context))
      const actId = idempotency?.id ?? randomUUID()
      const id = quoteIdOf(actId, sealKeys)
      const { accountId } = account
      const isBulk = quoted.kind === 'bulk'
      const agentGrantId = account.credential.kind === 'agent' ? account.credential.grantId : null
      const isInserted = await insertQuote(db, {
        ...{ sealKeys, agentGrantId },
        ...{ id, accountId, actId, bulkId: isBulk ? bulkIdOf(actId) : null },
        ...{ request: quoted.body, ...quoted.price },
        templateId: quoted.templateId ?? null,
        projectId: quoted.projectId ?? null,
      })
      if (!isInserted) throw tooManyQuotes()
      const made = await getQuote(db, { accountId, quoteId: id, sealKeys })
      if (!made) throw quoteNotFound(id)
      reply.code(201)
      return { ...showQuote(made), ...findingsOf(quoted) }
    },
  )

  const about = { tags, params: QuoteParams }
  const showing = { ...about, response: { 200: QuoteView, 400: Problem, 404: Problem } }
  server.get('/api/quotes/:id', { schema: showing, config }, async (request) =>
    showQuote(await findQuote(request, context)),
  )

  const rendering = {
    ...about,
    response: { 202: Rendered, ...submissionProblems, 410: Problem },
  }
  server.post('/api/quotes/:id/render', { schema: rendering, config }, async (request, reply) => {
    const found = await findQuote(request, context)
    const made = found.isUsed
      ? await findMade(request, found)
      : await renderQuote(request, found, context)
    reply.code(202)
    return made
  })
}

async function findQuote(
  { db, account, params }: Asked & { readonly params: { readonly id: string } },
  { sealKeys }: ApiContext,
): Promise<Quote> {
  const { accountId } = account
  const isOurs = isQuoteId(params.id, sealKeys)
  const asked = { accountId, quoteId: params.id, sealKeys }
  const found = isOurs ? await getQuote(db, asked) : undefined
  if (!found) throw quoteNotFound(params.id)
  refuseForeign(account.credential, found)
  return found
}

/** An agent renders what its own connection quoted; people and keys render any quote of the account. */
function refuseForeign(credential: Credential, { id, agentGrantId }: Quote): void {
  if (credential.kind !== 'agent' || credential.grantId === agentGrantId) return
  const rule = 'An agent must render quotes that its own connection asked for'
  const message = `${rule}. Got ${id}, which is another one's; ask for a new quote`
  throw new FarmError('forbidden', message, { field: 'quote' })
}

function tooManyQuotes(): ProblemError {
  const rule = `An account must have <= ${openQuotesMax} quotes that have not expired`
  const message = `${rule}. Got one more; each ends after ${quoteMinutes} minutes`
  return new ProblemError('too_many_requests', message, { retryAfterSeconds: 60 })
}
