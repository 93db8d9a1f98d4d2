import { isRecord, unresolved } from './check.ts'
import { hasPlaceholder, wholePlaceholder } from './placeholder.ts'
import { childOf, type Report, shownValue } from './report.ts'
import { expandScenes } from './scenes.ts'
import { type Budget, type Layer, makeBudget, makeScope, type Scope } from './variables.ts'

/**
 * Turns the payload as sent into the filled tree: placeholders replaced, conditions pruned, scenes
 * iterated. What steers this (`variables`, `condition`, `iterate`, `iterateAs`) is gone from it. It
 * stays in the request's own language, so that the same schema checks it.
 */
export type Expansion = {
  readonly payload: Record<string, unknown>
  /** Where items of `visuals`, `audios` and `scenes` stand in the request as sent. */
  readonly origin: ReadonlyMap<object, string>
}

/** What the parts of one expansion share. */
export type Expander = {
  readonly origin: Map<object, string>
  readonly report: Report
  readonly budget: Budget
  /** Requests' variables win over scenes', and those over the project's. */
  readonly request: Layer
  readonly project: Layer
  readonly root: Scope
}

/** Where something is filled in. `clone`: which clone of an iterated scene, from 1. */
export type Surroundings = {
  readonly scope: Scope
  /** The place is text that came out of a variable: it is not read for placeholders again. */
  readonly verbatim: boolean
  readonly clone?: number
}

export function expandPayload(options: {
  payload: Readonly<Record<string, unknown>>
  variables: Readonly<Record<string, unknown>>
  report: Report
}): Expansion {
  const { payload, report } = options
  const budget = makeBudget(report)
  const request: Layer = { path: 'variables', values: options.variables, filled: false }
  const own = isRecord(payload.variables) ? payload.variables : {}
  const project: Layer = { path: 'variables', values: own, filled: false }
  const root = makeScope([request, project], budget)
  const expander: Expander = {
    ...{ report, budget, request, project, root },
    origin: new Map(),
  }
  // Circles are faults even where nothing uses them.
  for (const name of Object.keys({ ...own, ...options.variables })) root.at(name)
  const around: Surroundings = { scope: root, verbatim: false }
  const filled = Object.entries(payload)
    .filter(([key]) => key !== 'variables')
    .map(([key, value]) => [key, expandField(expander, { key, value, path: key, around })])
  return { payload: Object.fromEntries(filled), origin: expander.origin }
}

/** A value with the place it stands in. */
type Field = { key: string; value: unknown; path: string; around: Surroundings }

/** One field of a project or scene. */
export function expandField(expander: Expander, { key, value, path, around }: Field): unknown {
  switch (key) {
    case 'visuals':
    case 'audios':
      return expandList(expander, { value, path, around }, (item, at, inside) =>
        expandItem(expander, item, { path: at, around: inside }),
      )
    case 'scenes':
      return expandScenes(expander, { value, path, around })
    default:
      return fillTree(expander, value, { path, around })
  }
}

/**
 * A list that may be given by one placeholder: then the variable's list is read as if it stood here.
 * `expand` answers `pruned` for an item that is left out.
 */
export function expandList(
  expander: Expander,
  { value, path, around }: { value: unknown; path: string; around: Surroundings },
  expand: (item: unknown, path: string, around: Surroundings) => unknown,
): unknown {
  let list = value
  let inside = around
  const variable = typeof value === 'string' ? wholePlaceholder(value) : undefined
  if (variable !== undefined && !around.verbatim) {
    const { node, filled } = around.scope.raw(variable)
    if (Array.isArray(node)) {
      list = node
      inside = { ...around, verbatim: filled }
    }
  }
  if (!Array.isArray(list)) return fillTree(expander, list, { path, around })
  return list.map((item, i) => expand(item, `${path}[${i}]`, inside)).filter((x) => x !== pruned)
}

export const pruned = Symbol('pruned')

function expandItem(
  expander: Expander,
  item: unknown,
  { path, around }: { path: string; around: Surroundings },
): unknown {
  if (!isRecord(item)) return fillTree(expander, item, { path, around })
  if (!keeps(expander, item, { path, around })) return pruned
  const filled: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(item)) {
    if (key === 'condition') continue
    // Opaque, and never rendered.
    if (key === 'designer') filled[key] = value
    else filled[key] = fillTree(expander, value, { path: childOf(path, key), around })
  }
  if (typeof filled.type === 'string') filled.type = filled.type.toUpperCase()
  expander.origin.set(filled, path)
  return filled
}

/** False for a `condition` that is false, 0, '', null, or names a variable that is not defined. */
export function keeps(
  { report }: Expander,
  item: Readonly<Record<string, unknown>>,
  { path, around }: { path: string; around: Surroundings },
): boolean {
  if (!Object.hasOwn(item, 'condition')) return true
  let flag = item.condition
  if (typeof flag === 'string' && !around.verbatim && hasPlaceholder(flag)) {
    if (wholePlaceholder(flag) === undefined) {
      const rule = 'condition must be a flag or one placeholder, without an expression.'
      report.add(childOf(path, 'condition'), `${rule} Got ${shownValue(flag)}.`)
      return true
    }
    const { value, missing } = around.scope.fill(flag)
    flag = missing.length > 0 ? false : value
  }
  return !(flag === false || flag === 0 || flag === '' || flag === null || flag === unresolved)
}

/** Fills every text in a value; what cannot be filled has its fault and becomes `unresolved`. */
export function fillTree(
  expander: Expander,
  value: unknown,
  { path, around }: { path: string; around: Surroundings },
): unknown {
  const size = typeof value === 'string' ? value.length : 8
  if (around.clone !== undefined && !expander.budget.spend(size, path)) return unresolved
  if (typeof value === 'string') {
    if (around.verbatim || !hasPlaceholder(value)) return value
    const filling = around.scope.fill(value)
    for (const name of filling.missing) expander.report.add(path, around.scope.missing(name))
    return filling.value
  }
  if (Array.isArray(value)) {
    return value.map((item, i) => fillTree(expander, item, { path: `${path}[${i}]`, around }))
  }
  if (!isRecord(value)) return value
  const entries = Object.entries(value).map(([key, inner]) => [
    key,
    fillTree(expander, inner, { path: childOf(path, key), around }),
  ])
  return Object.fromEntries(entries)
}
