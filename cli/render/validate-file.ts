import {
  isPlanName,
  largestPlan,
  type PlanName,
  planNames,
  plans,
} from '../../core/accounts/plans.ts'
import { type Fault, pointerInJob } from '../../core/errors.ts'
import type { Resolution } from '../../core/project/resolve.ts'
import { validateRequest } from '../../core/project/validate.ts'
import { usage } from '../failure.ts'
import { invalid } from './check.ts'
import { missingFiles, namedFiles, pointTo } from './local-media.ts'
import { type FileBody, fileBody, readProjectFile } from './project-file.ts'

/** Options of `farm validate` and `farm explain`. */
export type ValidateOptions = {
  readonly file: string
  readonly var?: Record<string, unknown>
  readonly plan?: string
  readonly json?: boolean
}

export type ValidatedFile = {
  readonly plan: PlanName
  readonly body: FileBody
  readonly verdict: Resolution | { readonly faults: readonly Fault[] }
  /** Maps the URL of a local file to its path in the project; other URLs stay. */
  readonly pathOf: (url: string) => string
}

/** Stands for the address that `farm render` would serve local media at. */
const stand = '127.0.0.1:80'

/**
 * Validates a project file as a farm would, without one. Missing local files are faults among the
 * others.
 * @throws Failure when the file cannot be read or the plan is unknown
 */
export function validateProjectFile({
  file,
  var: variables,
  plan = largestPlan,
}: ValidateOptions): ValidatedFile {
  if (!isPlanName(plan)) {
    throw usage(`--plan must be one of ${planNames.join(', ')}. Got ${plan}`)
  }
  const request = readProjectFile(file, variables)
  const body = fileBody(file)
  const media = namedFiles(request, file)
  const pointed = pointTo(request, media, (_, index) => `http://${stand}/${index}`)
  const validation = validateRequest(pointed, plans[plan], { trustedHosts: [stand] })
  const verdict = 'faults' in validation ? validation : validation.resolution
  const missing = missingFiles(media, file).map(
    (fault): Fault => ({ code: 'invalid_request', ...fault }),
  )
  const pathOf = (url: string) => {
    const index = url.startsWith(`http://${stand}/`) ? url.slice(`http://${stand}/`.length) : ''
    return media[Number(index || Number.NaN)]?.text ?? url
  }
  if (missing.length === 0) return { plan, body, verdict, pathOf }
  const faults = [...missing, ...('faults' in verdict ? verdict.faults : [])]
  return { plan, body, verdict: { faults }, pathOf }
}

/**
 * Returns the resolution of a valid file.
 * @throws Failure with every fault; with `json` they go to stdout first, for programs
 */
export function inOrder(
  { verdict, body }: ValidatedFile,
  { json = false }: ValidateOptions,
): Resolution {
  if (!('faults' in verdict)) return verdict
  if (json) {
    printJson({ valid: false, errors: verdict.faults.map((fault) => inFile(fault, body)) })
  }
  throw invalid(verdict.faults)
}

/** Adds the pointer into the file, which may hold the project without a request around it. */
export function inFile<T extends { field: string; pointer?: string }>(found: T, body: FileBody): T {
  const pointer = pointerInJob(found, null)
  return { ...found, pointer: body === 'project' ? pointer.replace(/^\/payload/, '') : pointer }
}

export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`)
}
