import { isRecord, unresolved } from './check.ts'
import { hasPlaceholder, wholePlaceholder } from './placeholder.ts'
import { childOf, type Report, shownValue } from './report.ts'
import type { Budget, Layer, Scope } from './variables.ts'

/** Fills the placeholders of fields and lists, and prunes items by their condition. */

/** State that one expansion shares. */
export type Expander = {
  readonly origin: Map<object, string>
  readonly report: Report
  readonly budget: Budget
  /** Precedence of variables: the request's, then the scene's, then the project's. */
  readonly request: Layer
  readonly project: Layer
  /** The plan's limit: an iteration over more items is skipped. */
  readonly maxScenes: number
  /** Undefined variables already reported, each with its path. */
  readonly missed: Set<string>
}

/** Context of a place that is filled in. `clone`: number of the iterated scene's clone, from 1. */
export type FillContext = {
  readonly scope: Scope
  /** The text came from a variable: it is not searched for placeholders again. */
  readonly verbatim: boolean
  readonly clone?: number
}

/** A value and its context. */
type Field = { key: string; value: unknown; path: string; around: FillContext }

/** Fills one field of a project or scene, other than `scenes`. */
export function fillField(expander: Expander, { key, value, path, around }: Field): unknown {
  switch (key) {
    case 'visuals':
    case 'audios':
      return expandList(expander, { value, path, around }, (item, at, inside) =>
        expandItem(expander, item, { path: at, around: inside }),
      )
    default:
      return fillTree(expander, value, { path, around })
  }
}

/**
 * Expands a list. A placeholder in place of the list is replaced by the variable's list. `expand`
 * returns `pruned` for an item to drop.
 */
export function expandList(
  expander: Expander,
  { value, path, around }: { value: unknown; path: string; around: FillContext },
  expand: (item: unknown, path: string, around: FillContext) => unknown,
): unknown {
  let list = value
  let inside = around
  const variable = typeof value === 'string' ? wholePlaceholder(value) : undefined
  if (variable !== undefined && !around.verbatim) {
    const { node, filled } = around.scope.raw(variable, path)
    if (Array.isArray(node)) {
      list = node
      inside = { ...around, verbatim: filled }
    }
  }
  if (!Array.isArray(list)) return fillTree(expander, list, { path, around })
  const expanded: unknown[] = []
  for (const [i, item] of list.entries()) {
    if (expander.budget.isSpent()) break
    const result = expand(item, `${path}[${i}]`, inside)
    if (result !== pruned) expanded.push(result)
  }
  return expanded
}

export const pruned = Symbol('pruned')

/** Budget of a clone's item beside its values: it is checked like any other. */
const clonedItemWeight = 200

function expandItem(
  expander: Expander,
  item: unknown,
  { path, around }: { path: string; around: FillContext },
): unknown {
  if (!isRecord(item)) return fillTree(expander, item, { path, around })
  if (!keeps(expander, item, { path, around })) return pruned
  if (around.clone !== undefined) expander.budget.spend(clonedItemWeight, path)
  const filled: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(item)) {
    if (key === 'condition') continue
    // Opaque, and never rendered; one placeholder may replace all of it.
    if (key === 'designer' && typeof value !== 'string') filled[key] = value
    else filled[key] = fillTree(expander, value, { path: childOf(path, key), around })
  }
  if (typeof filled.type === 'string') filled.type = filled.type.toUpperCase()
  for (const key of ['text', 'html']) {
    // A number or flag from a placeholder becomes text in a text field.
    const words = filled[key]
    const shown = typeof words === 'number' || typeof words === 'boolean'
    if (shown && typeof item[key] === 'string') filled[key] = String(words)
  }
  expander.origin.set(filled, path)
  return filled
}

/** Returns false for a `condition` that is false, 0, '', null, or an undefined variable. */
export function keeps(
  { report }: Expander,
  item: Readonly<Record<string, unknown>>,
  { path, around }: { path: string; around: FillContext },
): boolean {
  if (!Object.hasOwn(item, 'condition')) return true
  let flag = item.condition
  if (typeof flag === 'string' && !around.verbatim && hasPlaceholder(flag)) {
    if (wholePlaceholder(flag) === undefined) {
      const rule = 'condition must be a flag or one placeholder, without an expression.'
      report.add(childOf(path, 'condition'), `${rule} Got ${shownValue(flag)}.`)
      return true
    }
    const { value, missing } = around.scope.fill(flag, childOf(path, 'condition'))
    flag = missing.length > 0 ? false : value
  }
  return !(flag === false || flag === 0 || flag === '' || flag === null || flag === unresolved)
}

/** Fills every text in a value; a text that cannot be filled is reported and becomes `unresolved`. */
export function fillTree(
  expander: Expander,
  value: unknown,
  { path, around }: { path: string; around: FillContext },
): unknown {
  const size = typeof value === 'string' ? value.length : 8
  if (around.clone !== undefined && !expander.budget.spend(size, path)) return unresolved
  if (typeof value === 'string') {
    if (around.verbatim || !hasPlaceholder(value)) return value
    const filling = around.scope.fill(value, path)
    reportMissing(expander, around.scope, { names: filling.missing, path })
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

/** Undefined variables that get a "Did you mean": each is compared with up to 1,000 names. */
const maxHints = 50

/** Reports the undefined variables of one place, once for all of its clones. */
export function reportMissing(
  { report, missed }: Expander,
  scope: Scope,
  { names, path }: { names: readonly string[]; path: string },
): void {
  for (const name of names) {
    if (report.isFull()) return
    const key = `${path} ${name}`
    if (missed.has(key)) continue
    missed.add(key)
    report.add(path, scope.missing(name, missed.size <= maxHints))
  }
}
