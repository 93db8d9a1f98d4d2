import { unresolved } from './check.ts'
import { nearest } from './nearest.ts'
import { hasPlaceholder, splitPlaceholders, wholePlaceholder } from './placeholder.ts'
import type { Report } from './report.ts'

/**
 * Fills placeholders from layers of variables. Variables may refer to each other in any order; each
 * path is filled at most once in a scope. Filled text is never read for placeholders again, so that
 * a customer's value cannot reach other variables.
 */

/** One source of values. The first layer that has a name wins. */
export type Layer = {
  /** Where the values stand in the request: `variables`, `scenes[0].variables`. */
  readonly path: string
  readonly values: Readonly<Record<string, unknown>>
  /** Values that hold no placeholders of their own any more, such as the item of an iteration. */
  readonly filled: boolean
}

/** How much may come out of the placeholders of one request: characters, and 8 for each value. */
const maxExpansion = 4_000_000
const valueWeight = 8

/** Longest way through variables that refer to each other, nesting included. */
const maxSteps = 200

/**
 * `missing`: undefined variables met on the way. `broken`: it could not be made, and its fault has
 * been reported. `depth`: steps and nesting below it.
 */
type Filling = {
  readonly value: unknown
  readonly weight: number
  readonly depth: number
  readonly missing: readonly string[]
  readonly broken: boolean
}

export type Budget = {
  /** False once more was asked for than there is; the first time it is a fault at `path`. */
  spend(weight: number, path: string): boolean
  isSpent(): boolean
  readonly report: Report
}

export type Scope = {
  /** A value with its placeholders filled in; `value` is `unresolved` when that failed. */
  fill(raw: unknown): Filling
  /** The value at a dotted path; undefined = there is none. */
  at(path: string): Filling | undefined
  /** The value at a path as it was written, for a list that is read in the place it is put. */
  raw(path: string): { readonly node: unknown; readonly filled: boolean }
  /** The sentence for a variable that does not exist. */
  missing(path: string): string
}

export function makeBudget(report: Report): Budget {
  let left = maxExpansion
  return {
    report,
    isSpent: () => left < 0,
    spend(weight, path) {
      if (left < 0) return false
      left -= weight
      if (left >= 0) return true
      report.add(path, `Placeholders and iteration must expand to <= ${maxExpansion} characters.`)
      return false
    },
  }
}

export function makeScope(layers: readonly Layer[], budget: Budget): Scope {
  const context: Context = { layers, budget, memo: new Map(), open: [] }
  return {
    fill: (raw) => fillNode(context, raw, 0),
    at(path) {
      const found = lookUp(context, path, 0)
      return found.missing.includes(path) ? undefined : found
    },
    raw: (path) => findRaw(context, path),
    missing: (path) => missingVariable(path, layers),
  }
}

/** `open`: the paths being filled at this moment, outermost first. */
type Context = {
  readonly layers: readonly Layer[]
  readonly budget: Budget
  readonly memo: Map<string, Filling>
  readonly open: string[]
}

const failed: Filling = { value: unresolved, weight: 0, depth: 0, missing: [], broken: true }

function lookUp(context: Context, path: string, step: number): Filling {
  const known = context.memo.get(path)
  if (known) return known
  const circle = context.open.indexOf(path)
  if (circle >= 0) return reportCircle(context, context.open.slice(circle))
  context.open.push(path)
  const found = step > maxSteps ? tooManySteps(context) : find(context, path, step)
  const filling = found.depth > maxSteps ? tooManySteps(context) : found
  context.open.pop()
  context.memo.set(path, filling)
  return filling
}

function find(context: Context, path: string, step: number): Filling {
  const { node, filled, layer, rest } = descend(context.layers, path)
  if (rest.length > 0 && !filled && typeof node === 'string' && hasPlaceholder(node)) {
    const inner = fillNode(context, node, step + 1)
    if (inner.broken || inner.missing.length > 0) return inner
    const target = rest.reduce(childNode, inner.value)
    if (target !== undefined) return measure(context, target, step + 1)
  } else if (rest.length === 0 && layer) {
    return filled ? measure(context, node, step + 1) : fillNode(context, node, step + 1)
  }
  return { ...failed, broken: false, missing: [path] }
}

function findRaw(context: Context, path: string): { node: unknown; filled: boolean } {
  let place = descend(context.layers, path)
  for (let step = 0; step < maxSteps; step++) {
    const next = typeof place.node === 'string' ? wholePlaceholder(place.node) : undefined
    if (place.filled || next === undefined) break
    place = descend(context.layers, [next, ...place.rest].join('.'))
  }
  return { node: place.rest.reduce(childNode, place.node), filled: place.filled }
}

/** As far down a path as what is written goes; `rest` is what lies beyond a text or nothing. */
function descend(layers: readonly Layer[], path: string) {
  const [name = '', ...rest] = path.split('.')
  const layer = layers.find(({ values }) => Object.hasOwn(values, name))
  let node: unknown = layer?.values[name]
  while (typeof node === 'object' && node !== null && rest.length > 0) {
    const child = childNode(node, rest[0] ?? '')
    if (child === undefined) break
    node = child
    rest.shift()
  }
  return { node, rest, layer, filled: layer?.filled ?? true }
}

/** Own properties and array items only: nothing of a value's machinery can be named. */
function childNode(node: unknown, key: string): unknown {
  if (typeof node !== 'object' || node === null) return undefined
  if (Array.isArray(node)) return /^[0-9]+$/.test(key) ? node[Number(key)] : undefined
  return Object.hasOwn(node, key) ? (node as Record<string, unknown>)[key] : undefined
}

function fillNode(context: Context, raw: unknown, step: number): Filling {
  if (step > maxSteps) return tooManySteps(context)
  if (typeof raw === 'string') return fillText(context, raw, step)
  if (typeof raw !== 'object' || raw === null) return spend(context, raw, valueWeight)
  const entries = Array.isArray(raw)
    ? raw.map((item) => fillNode(context, item, step + 1))
    : Object.values(raw).map((item) => fillNode(context, item, step + 1))
  const value = Array.isArray(raw)
    ? entries.map((entry) => entry.value)
    : Object.fromEntries(Object.keys(raw).map((key, i) => [key, entries[i]?.value]))
  return join(entries, value, valueWeight)
}

function fillText(context: Context, text: string, step: number): Filling {
  const path = wholePlaceholder(text)
  if (path !== undefined) {
    const found = lookUp(context, path, step + 1)
    const paid = charge(context, found.weight, found)
    return { ...paid, depth: found.depth + 1 }
  }
  if (!hasPlaceholder(text)) return spend(context, text, valueWeight + text.length)
  const fillings: Filling[] = []
  let filledText = ''
  for (const part of splitPlaceholders(text)) {
    if ('text' in part) filledText += part.text
    else {
      const found = lookUp(context, part.path, step + 1)
      fillings.push(found)
      // Paid for before it is made: the text of a large value is not made in vain.
      if (!found.broken && charge(context, found.weight, found).broken) return failed
      const empty = found.missing.length > 0
      const inserted = empty ? '' : asText(found.value)
      filledText += inserted
    }
  }
  const joined = join(fillings, filledText, 0)
  return { ...joined, weight: valueWeight + filledText.length }
}

/** A value inside a longer text; objects and arrays as JSON. */
function asText(value: unknown): string {
  if (value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** A value that needs no filling, with its weight. */
function measure(context: Context, value: unknown, step: number): Filling {
  if (typeof value === 'string') return spend(context, value, valueWeight + value.length)
  if (typeof value !== 'object' || value === null) return spend(context, value, valueWeight)
  const entries = Object.values(value).map((item) => measure(context, item, step + 1))
  return join(entries, value, valueWeight)
}

function join(parts: readonly Filling[], value: unknown, own: number): Filling {
  let weight = own
  let depth = 0
  let broken = false
  const missing: string[] = []
  for (const part of parts) {
    weight += part.weight
    depth = Math.max(depth, part.depth)
    broken ||= part.broken
    for (const name of part.missing) if (!missing.includes(name)) missing.push(name)
  }
  if (broken || missing.length > 0) return { value: unresolved, weight: 0, depth, missing, broken }
  return { value, weight, depth: depth + 1, missing, broken }
}

function spend(context: Context, value: unknown, weight: number): Filling {
  const filling: Filling = { value, weight, depth: 1, missing: [], broken: false }
  return charge(context, weight, filling)
}

function charge(context: Context, weight: number, filling: Filling): Filling {
  const { budget, open } = context
  return budget.spend(weight, open[0] ? pathOf(context, open[0]) : '') ? filling : failed
}

function reportCircle(context: Context, members: readonly string[]): Filling {
  const way = [...members, members[0]].join(' → ')
  return fail(
    context,
    members[0] ?? '',
    `Variables must not refer to each other in a circle: ${way}.`,
  )
}

function tooManySteps(context: Context): Filling {
  const rule = `Variables may refer to each other, and be nested, over <= ${maxSteps} steps.`
  return fail(context, context.open[0] ?? '', rule)
}

function fail(context: Context, path: string, message: string): Filling {
  context.budget.report.add(pathOf(context, path), message)
  return failed
}

/** Where a variable is defined, in the request. */
function pathOf({ layers }: Context, path: string): string {
  const [name = ''] = path.split('.')
  const layer = layers.find(({ values }) => Object.hasOwn(values, name))
  return `${layer?.path ?? 'variables'}.${path}`
}

function missingVariable(path: string, layers: readonly Layer[]): string {
  const names = layers.flatMap(({ values }) => Object.keys(values)).slice(0, 1000)
  const meant = path.includes('.') ? undefined : nearest(path, names)
  return `The variable "${path}" is not defined.${meant ? ` Did you mean "${meant}"?` : ''}`
}
