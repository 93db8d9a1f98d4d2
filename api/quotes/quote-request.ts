import type { Fault } from '../../core/errors.ts'
import type { Price } from '../../core/jobs/pricing.ts'
import { isRecord } from '../../core/project/check.ts'
import { shownValue } from '../../core/project/report.ts'
import type { SealKeys } from '../../runtime/seal.ts'
import type { Db } from '../../store/db/database.ts'
import { getProject, type Project } from '../../store/db/projects/get-project.ts'
import { type BulkSubmission, readBulkSubmission } from '../bulks/bulk-submission.ts'
import type { Caller } from '../gateway/caller.ts'
import type { SliceQueue } from '../gateway/slice-queue.ts'
import { type Submission, toProblem, validateSubmission, withTemplate } from '../jobs/submission.ts'
import { projectNotFound } from '../projects/project-id.ts'

/** Request that a quote prices: one job or a bulk, with the payload of its template or draft. */
export type QuotedRequest = {
  readonly templateId: string | undefined
  readonly projectId: string | undefined
  /** Body that makes the same job or bulk again, without a template or draft. */
  readonly body: Readonly<Record<string, unknown>>
  readonly price: Price
} & (
  | { readonly kind: 'job'; readonly submission: Submission }
  | { readonly kind: 'bulk'; readonly submission: BulkSubmission }
)

type Reading = {
  readonly db: Db
  readonly account: Pick<Caller, 'accountId' | 'limits'>
  readonly trustedHosts: readonly string[]
  readonly sliceQueue: SliceQueue
  readonly sealKeys: SealKeys
}

/** Reads the body of a quote and prices it. @throws FarmError with every fault of it */
export async function readQuoteRequest(sent: unknown, reading: Reading): Promise<QuotedRequest> {
  refuseJobId(sent)
  const { request, projectId } = await withProject(sent, reading)
  const named = await withTemplate(reading.db, reading.account.accountId, request)
  const { templateId } = named
  const origin = projectId === undefined ? templateId && '/template' : '/project'
  const quoted = await priceRequest(named.request, { ...reading, origin: origin ?? '/payload' })
  return { ...quoted, templateId, projectId }
}

/**
 * Prices a request that holds its payload. `origin`: the part of the body that the payload came
 * from. @throws FarmError with every fault of it
 */
export async function priceRequest(
  request: unknown,
  { origin, ...reading }: Reading & { readonly origin: '/payload' | '/template' | '/project' | '' },
): Promise<QuotedRequest> {
  const { trustedHosts } = reading
  const { limits } = reading.account
  const body = isRecord(request) ? request : {}
  const none = { templateId: undefined, projectId: undefined, body }
  if (Object.hasOwn(body, 'items')) {
    const submission = await readBulkSubmission(request, reading)
    return { ...none, kind: 'bulk', submission, price: sumOf(submission.jobs) }
  }
  const stored = origin === '/template'
  const checked = { limits, trustedHosts, stored, payloadAt: origin }
  const submission = { ...validateSubmission(request, checked), templateId: undefined }
  return { ...none, kind: 'job', submission, price: submission.price }
}

function sumOf(jobs: readonly { readonly price: Price }[]): Price {
  const sum = (of: (price: Price) => number) =>
    jobs.reduce((total, { price }) => total + of(price), 0)
  return {
    credits: sum(({ credits }) => credits),
    creditsMost: sum(({ creditsMost }) => creditsMost),
    seconds: sum(({ seconds }) => seconds),
    exact: jobs.every(({ price }) => price.exact),
  }
}

/** Puts the payload of the named draft into a body; a body without one stays as it is. */
async function withProject(
  sent: unknown,
  { db, account: { accountId }, sealKeys }: Reading,
): Promise<{ readonly request: unknown; readonly projectId: string | undefined }> {
  if (!isRecord(sent)) throw refused('', `The body must be ${what}. Got ${shownValue(sent)}`)
  const origins = ['payload', 'template', 'project'].filter((name) => Object.hasOwn(sent, name))
  if (origins.length !== 1) {
    const seen = origins.length === 0 ? 'none' : origins.join(' and ')
    throw refused('', `Exactly one of payload, template and project must be given. Got ${seen}`)
  }
  if (!Object.hasOwn(sent, 'project')) return { request: sent, projectId: undefined }
  const { project: projectId, ...rest } = sent
  if (typeof projectId !== 'string' || !/^prj_[A-Za-z0-9]{20}$/.test(projectId)) {
    const rule = 'project must be "prj_" and 20 letters or digits'
    throw refused('project', `${rule}. Got ${shownValue(projectId)}`)
  }
  const project = await getProject(db, { accountId, projectId, sealKeys })
  if (!project) throw projectNotFound(projectId)
  return { projectId, request: named({ ...rest, payload: project.payload }, project.name) }
}

/** Gives a request the draft's name where it has none of its own. */
function named(
  request: { readonly payload: Project['payload']; readonly [field: string]: unknown },
  name: string,
): Readonly<Record<string, unknown>> {
  const { payload, items, overrides = {} } = request
  if (Object.hasOwn(payload, 'name') || Object.hasOwn(request, 'name')) return request
  if (items !== undefined) return { ...request, name }
  if (!isRecord(overrides) || Object.hasOwn(overrides, 'name')) return request
  return { ...request, overrides: { ...overrides, name } }
}

function refuseJobId(sent: unknown): void {
  if (!isRecord(sent) || !Object.hasOwn(sent, 'jobId')) return
  throw refused('jobId', 'jobId must be left out: the quote names its job. Got one')
}

const what = 'a JSON object with a payload, a template or a project'

function refused(field: string, message: string) {
  const fault: Fault = {
    field,
    pointer: field === '' ? '' : `/${field}`,
    code: 'invalid_request',
    message,
  }
  return toProblem([fault])
}
