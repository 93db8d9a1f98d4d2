import { errorCodes, type FarmError, type Fault } from '../core/errors.ts'
import type { PlanLimits } from '../core/plans.ts'
import { type Price, priceAtSubmission } from '../core/pricing.ts'
import { isRecord } from '../core/project/check.ts'
import { judgeRequest } from '../core/project/judge.ts'
import type { PayloadAt } from '../core/project/pointers.ts'
import type { Resolution } from '../core/project/resolve.ts'
import type { RenderRequest } from '../core/project/schema/request.ts'
import type { Db } from '../store/db/database.ts'
import { getTemplate } from '../store/db/statements/get-template.ts'
import type { Caller } from './caller.ts'
import { readJson } from './json-text.ts'
import { type Extra, ProblemError } from './problem.ts'
import { asStill } from './still.ts'
import { isTemplateId } from './template-id.ts'

export type Submission = {
  /** A template that it named is replaced by the payload as it was then. */
  readonly request: RenderRequest
  readonly templateId: string | undefined
  readonly resolution: Resolution
  readonly price: Price
}

/**
 * What a body asks for, and what it costs an account under its plan.
 * @throws FarmError with every fault of the body.
 */
export async function readSubmission(
  { db, trustedHosts }: { db: Db; trustedHosts: readonly string[] },
  {
    body,
    account,
    still = false,
  }: { body: unknown; account: Pick<Caller, 'accountId' | 'limits'>; still?: boolean },
): Promise<Submission> {
  const sent = readJson(body)
  const named = await withTemplate(db, account.accountId, sent)
  const { request, templateId } = still ? asStill(named) : named
  const { limits } = account
  const stored = templateId !== undefined
  const payloadAt = stored ? '/template' : '/payload'
  return { ...judge(request, { limits, trustedHosts, stored, payloadAt }), templateId }
}

/**
 * The same of a request that has been read already. `stored`: its payload is a template's. `payloadAt`:
 * the place in the body that stands for the payload.
 * @throws FarmError with every fault of it.
 */
export function judge(
  request: unknown,
  {
    limits,
    trustedHosts,
    stored,
    payloadAt,
  }: {
    limits: PlanLimits
    trustedHosts: readonly string[]
    stored: boolean
    payloadAt: PayloadAt
  },
): Omit<Submission, 'templateId'> {
  const judgement = judgeRequest(request, limits, { trustedHosts, stored, payloadAt })
  if ('faults' in judgement) throw refusal(judgement.faults, limits)
  const { resolution } = judgement
  return { ...judgement, price: priceAtSubmission(resolution.project, limits) }
}

/** A body with the payload of the template that it names; as it is when it names none there is. */
export async function withTemplate(
  db: Db,
  accountId: string,
  sent: unknown,
): Promise<{
  readonly request: unknown
  readonly templateId: string | undefined
  readonly templateName?: string
}> {
  const asItIs = { request: sent, templateId: undefined }
  if (!isRecord(sent) || Object.hasOwn(sent, 'payload')) return asItIs
  const { template: templateId, ...rest } = sent
  if (typeof templateId !== 'string' || !isTemplateId(templateId)) return asItIs
  const template = await getTemplate(db, { accountId, templateId })
  if (!template || template.archivedAt !== null) return asItIs
  const { name: templateName } = template
  return { templateId, templateName, request: { ...rest, payload: template.payload } }
}

/** Of several kinds of faults, the answer's status is that of the gravest: shape before meaning. */
export function refusal(
  faults: readonly Fault[],
  limits?: PlanLimits,
  extra: Extra = {},
): FarmError {
  const [first] = faults.toSorted((a, b) => errorCodes[a.code].http - errorCodes[b.code].http)
  const code = first?.code ?? 'invalid_request'
  const [named] = faults
  const sentence = [named?.field, named?.message].filter(Boolean).join(': ')
  const message =
    faults.length === 1
      ? sentence
      : `The request has ${faults.length} errors; the first: ${sentence}`
  const isLimited = limits && faults.some((fault) => fault.code === 'plan_limit')
  return new ProblemError(code, message, {
    details: faults,
    extra: { ...extra, ...(isLimited && { planLimits: { ...limits } }) },
  })
}
