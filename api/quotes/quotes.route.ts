import { randomUUID } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { FarmError } from '../../core/errors.ts'
import type { Price } from '../../core/jobs/pricing.ts'
import { QuoteRequest } from '../../core/project/schema/quote.ts'
import { findSame } from '../../store/db/bulks/insert-bulk-with-hold.ts'
import { getQuote, type Quote } from '../../store/db/quotes/get-quote.ts'
import { insertQuote, openQuotesMax, quoteMinutes } from '../../store/db/quotes/insert-quote.ts'
import { acceptBulk } from '../bulks/accept-bulk.ts'
import { bulkIdOf } from '../bulks/bulk-id.ts'
import { BulkWarnings, ItemErrors, showBulkWarnings, showRefused } from '../bulks/bulk-view.ts'
import type { ApiContext } from '../context.ts'
import { readJson } from '../gateway/json-text.ts'
import { Problem, ProblemError, submissionProblems } from '../gateway/problem.ts'
import type { Server } from '../gateway/typed-server.ts'
import { acceptJob } from '../jobs/accept-job.ts'
import { showWarnings, WarningView } from '../jobs/job-view.ts'
import { isQuoteId, QuoteId, QuoteParams, quoteIdOf, quoteNotFound } from './quote-id.ts'
import { priceRequest, type QuotedRequest, readQuoteRequest } from './quote-request.ts'

const quote = {
  id: QuoteId,
  kind: Type.Enum(['job', 'bulk']),
  state: Type.Enum(['open', 'used', 'expired'], {
    description: 'A used quote has made its job or bulk; rendered again it answers the same',
  }),
  creditsRequired: Type.Integer({ description: 'Credits that rendering it holds' }),
  exact: Type.Boolean({
    description:
      'False when the length depends on media that are not read yet. The hold is topped up once they are',
  }),
  creditsMost: Type.Integer({ description: 'Most credits that it can cost' }),
  duration: Type.Number({ description: 'Seconds, of all films of a bulk together; 0 for stills' }),
  template: Type.Union([Type.String(), Type.Null()]),
  project: Type.Union([Type.String(), Type.Null()]),
  jobId: Type.Union([Type.String({ format: 'uuid' }), Type.Null()], {
    description: 'Its job, once it is used',
  }),
  bulkId: Type.Union([Type.String(), Type.Null()], { description: 'Its bulk, once it is used' }),
  createdAt: Type.String({ format: 'date-time' }),
  expiresAt: Type.String({ format: 'date-time' }),
}
const QuoteView = Type.Object(quote, { $id: 'Quote' })
const NewQuoteView = Type.Object({
  ...quote,
  warnings: Type.Array(WarningView, { description: 'Warnings of the one job' }),
  errors: ItemErrors,
  itemWarnings: BulkWarnings,
})

const Rendered = Type.Object({
  quoteId: QuoteId,
  jobId: Type.Optional(Type.String({ format: 'uuid' })),
  bulkId: Type.Optional(Type.String()),
  jobIds: Type.Array(Type.String({ format: 'uuid' })),
  creditsReserved: Type.Integer(),
})

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
      const isInserted = await insertQuote(db, {
        ...{ id, accountId, actId, bulkId: isBulk ? bulkIdOf(actId) : null },
        ...{ request: quoted.body, ...quoted.price },
        templateId: quoted.templateId ?? null,
        projectId: quoted.projectId ?? null,
      })
      if (!isInserted) throw tooManyQuotes()
      const made = await getQuote(db, { accountId, quoteId: id })
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
      : await render(request, found, context)
    reply.code(202)
    return made
  })
}

type Asked = Pick<FastifyRequest, 'db' | 'account' | 'made'>

function readingOf({ db, account }: Asked, { trustedHosts, sliceQueue }: ApiContext) {
  return { db, account, trustedHosts, sliceQueue }
}

async function findQuote(
  { db, account, params }: Asked & { readonly params: { readonly id: string } },
  { sealKeys }: ApiContext,
): Promise<Quote> {
  const { accountId } = account
  const isOurs = isQuoteId(params.id, sealKeys)
  const found = isOurs ? await getQuote(db, { accountId, quoteId: params.id }) : undefined
  if (!found) throw quoteNotFound(params.id)
  return found
}

/** Makes the job or bulk of a quote. Parallel requests make one, and get the same answer. */
async function render(
  asked: Asked,
  found: Quote,
  context: ApiContext,
): Promise<Static<typeof Rendered>> {
  refuseOutdated(found)
  const templateId = found.templateId ?? undefined
  const origin = templateId === undefined ? '' : '/template'
  const quoted = await priceRequest(found.request, { ...readingOf(asked, context), origin })
  refuseRisen(found, quoted.price)
  if (quoted.kind === 'bulk') {
    const submission = { ...quoted.submission, templateId }
    const act = { submission, bulkId: bulkIdOf(found.actId) }
    const { bulkId, jobIds, creditsReserved } = await acceptBulk(asked, act, context)
    return { quoteId: found.id, bulkId, jobIds, creditsReserved }
  }
  const submission = { ...quoted.submission, templateId }
  const act = { submission, jobId: found.actId, submissionId: found.actId }
  const { jobId, creditsReserved } = await acceptJob(asked, act, context)
  return { quoteId: found.id, jobId, jobIds: [jobId], creditsReserved }
}

/** Answers a used quote as when it was rendered. */
async function findMade(
  { db, account: { accountId } }: Asked,
  { id: quoteId, actId, bulkId, credits }: Quote,
): Promise<Static<typeof Rendered>> {
  if (bulkId === null) return { quoteId, jobId: actId, jobIds: [actId], creditsReserved: credits }
  const bulk = await findSame(db, { id: bulkId, accountId })
  const jobIds = [...(bulk?.jobIds ?? [])]
  return { quoteId, bulkId, jobIds, creditsReserved: credits }
}

function refuseOutdated({ id, isExpired, expiresAt, isOutdated, templateId }: Quote): void {
  if (isExpired) {
    const rule = `A quote must be rendered within ${quoteMinutes} minutes`
    const seen = `Got ${id}, which expired at ${expiresAt.toISOString()}`
    throw new FarmError('quote_expired', `${rule}. ${seen}; ask for a new quote`)
  }
  if (!isOutdated) return
  const what = templateId === null ? 'project' : 'template'
  const rule = `The ${what} must be as it was when it was quoted`
  throw new FarmError('quote_changed', `${rule}. It has changed since; ask for a new quote`)
}

function refuseRisen(found: Quote, now: Price): void {
  if (now.credits <= found.credits && now.creditsMost <= found.creditsMost) return
  const rule = `The price must be the quoted one, ${priceText(found)}`
  const message = `${rule}. It is ${priceText(now)} now; ask for a new quote`
  throw new FarmError('quote_changed', message)
}

function priceText({ credits, creditsMost }: Pick<Price, 'credits' | 'creditsMost'>): string {
  return credits === creditsMost ? `${credits} credits` : `${credits} to ${creditsMost} credits`
}

function tooManyQuotes(): FarmError {
  const rule = `An account must have <= ${openQuotesMax} quotes that have not expired`
  const message = `${rule}. Got one more; each ends after ${quoteMinutes} minutes`
  return new ProblemError('too_many_requests', message, { retryAfterSeconds: 60 })
}

function findingsOf(quoted: QuotedRequest) {
  if (quoted.kind === 'job') {
    const { warnings } = quoted.submission.resolution
    const shown = showWarnings(warnings, quoted.templateId ?? null)
    return { warnings: shown, errors: [], itemWarnings: [] }
  }
  const { jobs, refused, templateId } = quoted.submission
  return {
    warnings: [],
    errors: showRefused(refused),
    itemWarnings: showBulkWarnings(jobs, templateId),
  }
}

function showQuote({ isExpired, isUsed, ...found }: Quote): Static<typeof QuoteView> {
  return {
    id: found.id,
    kind: found.bulkId === null ? 'job' : 'bulk',
    state: isUsed ? 'used' : isExpired ? 'expired' : 'open',
    creditsRequired: found.credits,
    exact: found.exact,
    creditsMost: found.creditsMost,
    duration: Math.round(found.seconds * 1e6) / 1e6,
    template: found.templateId,
    project: found.projectId,
    jobId: isUsed && found.bulkId === null ? found.actId : null,
    bulkId: isUsed ? found.bulkId : null,
    createdAt: found.createdAt.toISOString(),
    expiresAt: found.expiresAt.toISOString(),
  }
}
