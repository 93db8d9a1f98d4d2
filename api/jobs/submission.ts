import type { PlanLimits } from '../../core/accounts/plans.ts'
import { errorCodes, type FarmError, type Fault } from '../../core/errors.ts'
import { type Price, priceAtSubmission } from '../../core/jobs/pricing.ts'
import { isRecord } from '../../core/project/check.ts'
import type { PayloadAt } from '../../core/project/pointers.ts'
import type { Resolution } from '../../core/project/resolve.ts'
import type { RenderRequest } from '../../core/project/schema/request.ts'
import { validateRequest } from '../../core/project/validate.ts'
import type { Db } from '../../store/db/database.ts'
import { getTemplate } from '../../store/db/templates/get-template.ts'
import type { Caller } from '../gateway/caller.ts'
import { readJson } from '../gateway/json-text.ts'
import { type Extra, ProblemError } from '../gateway/problem.ts'
import { isTemplateId } from '../templates/template-id.ts'
import { asStill } from './still.ts'

export type Submission = {
  /** Request with the payload of its template, as it was at submission. */
  readonly request: RenderRequest
  readonly templateId: string | undefined
  readonly resolution: Resolution
  readonly price: Price
}

/**
 * Reads a submission and its price for an account under its plan.
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
  return { ...validateSubmission(request, { limits, trustedHosts, stored, payloadAt }), templateId }
}

/**
 * Validates a request that has been parsed already. `stored`: its payload is a template's.
 * `payloadAt`: the place of the payload in the body.
 * @throws FarmError with every fault of it.
 */
export function validateSubmission(
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
  const validation = validateRequest(request, limits, { trustedHosts, stored, payloadAt })
  if ('faults' in validation) throw toProblem(validation.faults, limits)
  const { resolution } = validation
  return { ...validation, price: priceAtSubmission(resolution.project, limits) }
}

/**
 * Puts the payload of the named template into a body; a body without a known template stays as it
 * is.
 */
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

/** Builds a refusal; its status follows the gravest kind of fault: shape before meaning. */
export function toProblem(
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
