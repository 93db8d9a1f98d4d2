import type { PlanLimits } from '../accounts/plans.ts'
import type { Fault } from '../errors.ts'
import { lengthFault } from '../jobs/pricing.ts'
import { compileCheck } from './check.ts'
import { clipCrowdFault } from './crowds.ts'
import { withDefaults } from './defaults.ts'
import { expandPayload } from './expand.ts'
import { requestWarnings } from './lint/request-warnings.ts'
import { eachOnce, type Warning } from './lint/warning.ts'
import { warningsOf } from './lint/warnings.ts'
import { normalize } from './normalize.ts'
import { applyOverrides } from './overrides.ts'
import { located, type PayloadAt } from './pointers.ts'
import { makeReport, shownValue } from './report.ts'
import type { ResolvedProject } from './resolved.ts'
import type { RuleContext } from './rule-words.ts'
import { checkMeaning } from './rules.ts'
import { RenderPayload } from './schema/project.ts'
import type { RenderRequest } from './schema/request.ts'
import type { FilledSubtitle } from './schema/subtitle.ts'
import { type ResolveWork, unsharedWork } from './shared-work.ts'
import { checkFilledLengths } from './template.ts'

const checkPayload = compileCheck(RenderPayload)

export type Resolution = {
  readonly project: ResolvedProject
  /** The project in the request's language: no variables, overrides applied, defaults written out. */
  readonly payload: Readonly<Record<string, unknown>>
  readonly warnings: readonly Warning[]
}

export type ResolveOptions = {
  readonly trustedHosts?: readonly string[]
  readonly stored?: boolean
  readonly payloadAt?: PayloadAt
  readonly work?: ResolveWork
  readonly lint?: boolean
}

/**
 * Resolves a request: variables, conditions and iteration, then overrides, then every rule that
 * needs the outcome. Deterministic; every fault in one pass, with its path in the request as sent.
 * - `trustedHosts`: `host:port` that are exempt from the media URL rule.
 * - `stored`: the payload is a template's.
 * - `payloadAt`: the part of the body that stands for it. A request that names a template without
 *   its payload is refused: the caller reads it first.
 * - `work`: cache for requests with much in common.
 * - `lint` false: skip the warnings, which are more than half of the work.
 */
export function resolveRequest(
  request: RenderRequest,
  plan: PlanLimits,
  options: ResolveOptions = {},
): Resolution | { faults: Fault[] } {
  const { payloadAt } = options
  const resolution = resolve(request, plan, options)
  if ('faults' in resolution) {
    return { faults: resolution.faults.map((fault) => located(fault, request, payloadAt)) }
  }
  const warnings = resolution.warnings.map((warning) => located(warning, request, payloadAt))
  return { ...resolution, warnings }
}

function resolve(
  request: RenderRequest,
  plan: PlanLimits,
  { trustedHosts = [], stored = false, work = unsharedWork, lint = true }: ResolveOptions,
): Resolution | { faults: Fault[] } {
  const report = makeReport('invalid_project')
  const { payload, template, variables = {}, overrides } = request
  if (payload === undefined) {
    const rule = 'template must be the id of a template of the account that is not archived.'
    report.add('template', `${rule} Got ${shownValue(template)}.`, 'not_found')
    return { faults: report.faults }
  }
  const expansion = expandPayload({
    ...{ payload, variables, report },
    maxScenes: plan.scenes,
  })
  const { origin } = expansion
  if (!expansion.complete) return { faults: report.faults }
  checkPayload(expansion.payload, '', { stage: 'filled', report, origin, trustedHosts })
  const { scenes } = expansion.payload
  if (stored && Array.isArray(scenes)) checkFilledLengths(scenes, { report, origin })
  const settings = applyOverrides(expansion.payload, overrides)
  const context: RuleContext = {
    ...{ plan, report, origin, work, trustedHosts },
    read: new Map(),
    validated: new Map(),
    pictures: { count: 0 },
    markup: { characters: 0 },
    code: { characters: 0 },
  }
  checkMeaning(settings, context)
  if (report.faults.length > 0) return { faults: report.faults }
  const picturesOf = (html: string) => context.read.get(`html ${html}`)?.pictures ?? []
  const project = normalize(settings, { origin, picturesOf })
  const faults = [lengthFault(project, plan), clipCrowdFault(project)].filter(
    (fault) => fault !== undefined,
  )
  if (faults.length > 0) return { faults }
  // The schema has been checked against this very tree.
  const subtitle = settings.payload.subtitle as FilledSubtitle | undefined
  const outcome = { filled: expansion.payload, settings, origin, project }
  return {
    project,
    payload: withDefaults(settings.payload, project),
    warnings: lint
      ? eachOnce([
          ...requestWarnings({ ...request, payload }, outcome),
          ...warningsOf(project, { work, subtitle }),
        ])
      : [],
  }
}
