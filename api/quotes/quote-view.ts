import { type Static, Type } from 'typebox'
import { isRecord } from '../../core/project/check.ts'
import type { Quote } from '../../store/db/quotes/get-quote.ts'
import { BulkWarnings, ItemErrors, showBulkWarnings, showRefused } from '../bulks/bulk-view.ts'
import { showWarnings, WarningView } from '../jobs/job-view.ts'
import { QuoteId } from './quote-id.ts'
import type { QuotedRequest } from './quote-request.ts'

const quote = {
  id: QuoteId,
  kind: Type.Enum(['job', 'bulk']),
  state: Type.Enum(['open', 'used', 'expired'], {
    description: 'A used quote has made its job or bulk; rendered again it answers the same',
  }),
  name: Type.Union([Type.String(), Type.Null()], {
    description: 'Name of the film, the still or the bulk',
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
export const QuoteView = Type.Object(quote, { $id: 'Quote' })
export const NewQuoteView = Type.Object({
  ...quote,
  warnings: Type.Array(WarningView, { description: 'Warnings of the one job' }),
  errors: ItemErrors,
  itemWarnings: BulkWarnings,
})

export const Rendered = Type.Object({
  quoteId: QuoteId,
  jobId: Type.Optional(Type.String({ format: 'uuid' })),
  bulkId: Type.Optional(Type.String()),
  jobIds: Type.Array(Type.String({ format: 'uuid' })),
  creditsReserved: Type.Integer(),
})

/** Warnings and refused items of a new quote. */
export function findingsOf(quoted: QuotedRequest) {
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

export function showQuote({ isExpired, isUsed, ...found }: Quote): Static<typeof QuoteView> {
  return {
    id: found.id,
    kind: found.bulkId === null ? 'job' : 'bulk',
    state: isUsed ? 'used' : isExpired ? 'expired' : 'open',
    name: nameOf(found.request),
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

/** The request's own name, or that of its project. */
function nameOf({ overrides, name, payload }: Quote['request']): string | null {
  const own = (part: unknown) => (isRecord(part) ? part.name : undefined)
  const named = [own(overrides), name, own(payload)].find((each) => typeof each === 'string')
  return named === undefined ? null : String(named)
}
