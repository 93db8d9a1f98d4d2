import { type PlanName, plans } from '../../../core/accounts/plans.ts'
import type { Fault } from '../../../core/errors.ts'
import { parseJson } from '../../../core/parse-json.ts'
import { type Outline, outlineOf } from '../../../core/plan/outline.ts'
import type { Warning } from '../../../core/project/lint/warning.ts'
import { pointerInto } from '../../../core/project/pointers.ts'
import { repairPayload } from '../../../core/project/repair/repair.ts'
import type { Change } from '../../../core/project/repair/walk.ts'
import { validateRequest } from '../../../core/project/validate.ts'
import { isTooDeep, nestingRule } from './nesting.ts'

export type Question = {
  readonly text: string
  readonly variables: Readonly<Record<string, unknown>>
  readonly overrides: Readonly<Record<string, unknown>>
  readonly plan: PlanName
  /** Hosts whose media the farm trusts. */
  readonly trustedHosts: readonly string[]
}

export type Found = {
  readonly severity: 'error' | 'warning'
  readonly field: string
  /** Pointer into the project; null: the text is no JSON. */
  readonly pointer: string | null
  readonly code: string
  readonly message: string
  /** Change that the farm's repair would make. */
  readonly change: Change | null
}

export type Judgement = {
  readonly found: readonly Found[]
  /** Null while the project cannot be rendered. */
  readonly outline: Outline | null
  /** Null when there is nothing that a repair could mend. */
  readonly repair: { readonly repaired: unknown; readonly changes: readonly Change[] } | null
}

/** Judges a text as the farm judges a request, without asking it. */
export function judge({ text, variables, overrides, plan, trustedHosts }: Question): Judgement {
  if (isTooDeep(text)) return refused(new RangeError(nestingRule))
  let payload: unknown
  try {
    payload = parseJson(text)
  } catch (error) {
    return refused(error)
  }
  const request = {
    payload,
    ...(Object.keys(variables).length > 0 && { variables }),
    ...(Object.keys(overrides).length > 0 && { overrides }),
  }
  const validation = validateRequest(request, plans[plan], { trustedHosts })
  if (!('faults' in validation)) {
    const { resolution } = validation
    const found = resolution.warnings.map((warning) => ({
      ...at(payload, warning),
      ...{ severity: 'warning' as const, change: null },
    }))
    return { found, outline: outlineOf(resolution, { plan, pathOf: shortName }), repair: null }
  }
  const { repaired, changes } = repairPayload(payload, plans[plan], { trustedHosts })
  const found = validation.faults.map((fault): Found => {
    const change = changes.find(({ path }) => path === fault.field) ?? null
    return { ...at(payload, fault), severity: 'error', change }
  })
  return { found, outline: null, repair: changes.length > 0 ? { repaired, changes } : null }
}

/** Judges a text that cannot be read. A range error says the rule. */
function refused(error: unknown): Judgement {
  const message = error instanceof RangeError ? error.message : ''
  const said = { severity: 'error', field: '', code: 'syntax' } as const
  return { found: [{ ...said, pointer: null, message, change: null }], outline: null, repair: null }
}

function at(project: unknown, { field, code, message }: Fault | Warning) {
  return { field, code, message, pointer: pointerInto(project, field) }
}

/** Returns the last part of an address: enough to tell files apart on a timeline. */
function shortName(url: string): string {
  return url.split(/[?#]/)[0]?.split('/').at(-1) || url
}
