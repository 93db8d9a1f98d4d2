import { isRecord } from './check.ts'
import { type Expander, type FillContext, fillField } from './fill.ts'
import type { Report } from './report.ts'
import { expandScenes } from './scenes.ts'
import { type Layer, makeBudget, makeScope } from './variables.ts'

/**
 * Turns the payload as sent into the filled tree: placeholders replaced, conditions pruned, scenes
 * iterated. The tree has no `variables`, `condition`, `iterate` and `iterateAs`. It stays in the
 * request's own language, so that the same schema checks it.
 */
type Expansion = {
  readonly payload: Record<string, unknown>
  /** Paths of the items of `visuals`, `audios` and `scenes` in the request as sent. */
  readonly origin: ReadonlyMap<object, string>
  /** False when the expansion exceeds its limits; nothing more is checked then. */
  readonly complete: boolean
}

export function expandPayload(options: {
  payload: Readonly<Record<string, unknown>>
  variables: Readonly<Record<string, unknown>>
  report: Report
  maxScenes: number
}): Expansion {
  const { payload, report, maxScenes } = options
  const budget = makeBudget(report)
  const request: Layer = { path: 'variables', values: options.variables, filled: false }
  const own = isRecord(payload.variables) ? payload.variables : {}
  // Distinct from the request's path; pointers.ts merges them into one field.
  const project: Layer = { path: 'payload.variables', values: own, filled: false }
  const root = makeScope([request, project], budget)
  const expander: Expander = {
    ...{ report, budget, request, project, maxScenes },
    origin: new Map(),
    missed: new Set(),
  }
  // Circular references are faults even where nothing uses them.
  for (const name of Object.keys({ ...own, ...options.variables })) root.at(name)
  const around: FillContext = { scope: root, verbatim: false }
  const filled = Object.entries(payload)
    .filter(([key]) => key !== 'variables')
    .map(([key, value]) => {
      const field = { key, value, path: key, around }
      const expand = key === 'scenes' ? expandScenes : fillField
      return [key, expand(expander, field)] as const
    })
  return {
    payload: Object.fromEntries(filled),
    origin: expander.origin,
    complete: !budget.isSpent(),
  }
}
