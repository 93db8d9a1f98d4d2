import { isDeepStrictEqual } from 'node:util'
import type { FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { counted } from '../../core/counted.ts'
import { FarmError } from '../../core/errors.ts'
import type { Price } from '../../core/jobs/pricing.ts'
import { findSame } from '../../store/db/bulks/insert-bulk-with-hold.ts'
import { getProject } from '../../store/db/projects/get-project.ts'
import type { Quote } from '../../store/db/quotes/get-quote.ts'
import { quoteMinutes } from '../../store/db/quotes/insert-quote.ts'
import { getTemplate } from '../../store/db/templates/get-template.ts'
import { acceptBulk } from '../bulks/accept-bulk.ts'
import { bulkIdOf } from '../bulks/bulk-id.ts'
import type { ApiContext } from '../context.ts'
import { acceptJob } from '../jobs/accept-job.ts'
import { priceRequest } from './quote-request.ts'
import type { Rendered } from './quote-view.ts'

export type Asked = Pick<FastifyRequest, 'db' | 'account' | 'made'>

/** Dependencies of reading a request in the caller's name. */
export function readingOf(
  { db, account }: Asked,
  { trustedHosts, sliceQueue, sealKeys }: ApiContext,
) {
  return { db, account, trustedHosts, sliceQueue, sealKeys }
}

/** Makes the job or bulk of a quote. Parallel requests make one, and get the same answer. */
export async function renderQuote(
  asked: Asked,
  found: Quote,
  context: ApiContext,
): Promise<Static<typeof Rendered>> {
  refuseExpired(found)
  await refuseOutdated(asked, found, context)
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
export async function findMade(
  { db, account: { accountId } }: Asked,
  { id: quoteId, actId, bulkId, credits }: Quote,
): Promise<Static<typeof Rendered>> {
  if (bulkId === null) return { quoteId, jobId: actId, jobIds: [actId], creditsReserved: credits }
  const bulk = await findSame(db, { id: bulkId, accountId })
  const jobIds = [...(bulk?.jobIds ?? [])]
  return { quoteId, bulkId, jobIds, creditsReserved: credits }
}

function refuseExpired({ id, isExpired, expiresAt }: Quote): void {
  if (!isExpired) return
  const rule = `A quote must be rendered within ${quoteMinutes} minutes`
  const seen = `Got ${id}, which expired at ${expiresAt.toISOString()}`
  throw new FarmError('quote_expired', `${rule}. ${seen}; ask for a new quote`)
}

/** Compares payloads, so that a new name or a restored version does no harm. */
async function refuseOutdated(
  { db, account: { accountId } }: Asked,
  { templateId, projectId, request }: Quote,
  { sealKeys }: ApiContext,
): Promise<void> {
  if (templateId === null && projectId === null) return
  const template = templateId !== null && (await getTemplate(db, { accountId, templateId }))
  const origin =
    projectId === null
      ? template && template.archivedAt === null && template
      : await getProject(db, { accountId, projectId, sealKeys })
  if (origin && isDeepStrictEqual(origin.payload, request.payload)) return
  const what = templateId === null ? 'project' : 'template'
  const rule = `The ${what} must be as it was when it was quoted`
  const why = origin
    ? 'It has changed since; ask for a new quote'
    : 'It was deleted since; save it again and ask for a new quote'
  throw new FarmError('quote_changed', `${rule}. ${why}`)
}

function refuseRisen(found: Quote, now: Price): void {
  if (now.credits <= found.credits && now.creditsMost <= found.creditsMost) return
  const rule = `The price must be the quoted one, ${priceText(found)}`
  const message = `${rule}. It is ${priceText(now)} now; ask for a new quote`
  throw new FarmError('quote_changed', message)
}

function priceText({ credits, creditsMost }: Pick<Price, 'credits' | 'creditsMost'>): string {
  return credits === creditsMost
    ? counted(credits, 'credit')
    : `${credits} to ${counted(creditsMost, 'credit')}`
}
