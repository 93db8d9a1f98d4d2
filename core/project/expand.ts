import { isRecord } from './check.ts'
import { type Expander, fillField, type Surroundings } from './fill.ts'
import type { Report } from './report.ts'
import { expandScenes } from './scenes.ts'
import { type Layer, makeBudget, makeScope } from './variables.ts'

/**
 * Turns the payload as sent into the filled tree: placeholders replaced, conditions pruned, scenes
 * iterated. What steers this (`variables`, `condition`, `iterate`, `iterateAs`) is gone from it. It
 * stays in the request's own language, so that the same schema checks it.
 */
type Expansion = {
  readonly payload: Record<string, unknown>
  /** Where items of `visuals`, `audios` and `scenes` stand in the request as sent. */
  readonly origin: ReadonlyMap<object, string>
  /** False when it came to more than there is room for: then there is nothing more to say of it. */
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
  // Told apart from the request's; pointers.ts makes one field of both.
  const project: Layer = { path: 'payload.variables', values: own, filled: false }
  const root = makeScope([request, project], budget)
  const expander: Expander = {
    ...{ report, budget, request, project, maxScenes },
    origin: new Map(),
    missed: new Set(),
  }
  // Circles are faults even where nothing uses them.
  for (const name of Object.keys({ ...own, ...options.variables })) root.at(name)
  const around: Surroundings = { scope: root, verbatim: false }
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
