import type { PlanLimits } from '../../core/accounts/plans.ts'
import { type Fault, pointerOf } from '../../core/errors.ts'
import { type Price, priceAtSubmission } from '../../core/jobs/pricing.ts'
import { compileCheck, isRecord } from '../../core/project/check.ts'
import { pointerInto } from '../../core/project/pointers.ts'
import { makeReport, shownValue } from '../../core/project/report.ts'
import type { Resolution } from '../../core/project/resolve.ts'
import { PreviewOptions, previewFields } from '../../core/project/schema/preview.ts'
import type { RenderRequest } from '../../core/project/schema/request.ts'
import { validateRequest } from '../../core/project/validate.ts'
import type { Db } from '../../store/db/database.ts'
import type { Caller } from '../gateway/caller.ts'
import { readJson } from '../gateway/json-text.ts'
import { toProblem, withTemplate } from '../jobs/submission.ts'

export type AskedPreview = {
  /** Request with the payload of its template. */
  readonly request: RenderRequest
  readonly templateId: string | undefined
  readonly resolution: Resolution
  readonly options: PreviewOptions
}

const checkOptions = compileCheck(PreviewOptions)

/**
 * Reads the body of a preview: a render request with fields of its own.
 * @throws FarmError with every fault of both
 */
export async function readPreview(
  { db, trustedHosts }: { db: Db; trustedHosts: readonly string[] },
  { body, account }: { body: unknown; account: Pick<Caller, 'accountId' | 'limits'> },
): Promise<AskedPreview> {
  const { accountId, limits } = account
  const sent = readJson(body)
  const { options, foreign, rest } = split(sent)
  const optionFaults = [...faultsOf(options, sent), ...foreignFaults(foreign)]
  const { request, templateId } = await withTemplate(db, accountId, rest)
  const stored = templateId !== undefined
  const payloadAt = stored ? '/template' : '/payload'
  const validation = validateRequest(request, limits, { trustedHosts, stored, payloadAt })
  if ('faults' in validation) {
    throw toProblem([...optionFaults, ...validation.faults], limits)
  }
  const faults = optionFaults.length > 0 ? optionFaults : timeFaults(options, validation, limits)
  if (faults.length > 0) throw toProblem(faults)
  return { ...validation, templateId, options }
}

/** Fields of a render request that would do nothing for a preview, and why. */
const foreignFields: Readonly<Record<string, string>> = {
  webhookUrl: 'no webhook hears of a preview',
  jobId: 'a preview makes no job that its account sees',
}

type Entry = [name: string, value: unknown]

function split(sent: unknown): {
  options: PreviewOptions
  foreign: readonly Entry[]
  rest: unknown
} {
  if (!isRecord(sent)) return { options: {}, foreign: [], rest: sent }
  const isOption = ([name]: Entry) => Object.hasOwn(previewFields, name)
  const isForeign = ([name]: Entry) => Object.hasOwn(foreignFields, name)
  const entries = Object.entries(sent)
  const rest = entries.filter((entry) => !isOption(entry) && !isForeign(entry))
  return {
    options: Object.fromEntries(entries.filter(isOption)),
    foreign: entries.filter(isForeign),
    rest: Object.fromEntries(rest),
  }
}

function foreignFaults(foreign: readonly Entry[]): Fault[] {
  return foreign.map(([field, value]) => {
    const message = `${field} must be absent: ${foreignFields[field]}. Got ${shownValue(value)}`
    return { field, pointer: pointerOf(field), code: 'invalid_request', message }
  })
}

function faultsOf(options: PreviewOptions, sent: unknown): Fault[] {
  const report = makeReport('invalid_request', 'invalid_value')
  checkOptions(options, '', { stage: 'filled', report })
  return report.faults.map((fault) => ({ ...fault, pointer: pointerInto(sent, fault.field) }))
}

/** Checks the times, as far as the film's length is known before its media are. */
function timeFaults(
  { times = [] }: PreviewOptions,
  { resolution: { project } }: { resolution: Resolution },
  limits: PlanLimits,
): Fault[] {
  if (times.length === 0) return []
  const code = 'invalid_value'
  if (project.type === 'image') {
    const message = `times must be absent for a still. Got ${JSON.stringify(times)}`
    return [{ field: 'times', pointer: '/times', code, message }]
  }
  const { exact, seconds }: Price = priceAtSubmission(project, limits)
  if (!exact) return []
  return times.flatMap((time, i) => {
    if (time <= seconds + 1e-6) return []
    const field = `times[${i}]`
    const message = `${field} must be within the film, which is ${seconds} s long. Got ${time}`
    return [{ field, pointer: `/times/${i}`, code, message }]
  })
}
