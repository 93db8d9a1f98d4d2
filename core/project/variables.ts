import { unresolved } from './check.ts'
import { nearest } from './nearest.ts'
import { hasPlaceholder, splitPlaceholders, wholePlaceholder } from './placeholder.ts'
import { type Report, shownValue } from './report.ts'

/**
 * Fills placeholders from layers of variables. Variables may refer to each other in any order and
 * over any number of steps. Each path is filled at most once in a scope, after the paths that it
 * needs, without recursion.
 *
 * Filled text is never read for placeholders again, so a customer's value cannot reach other
 * variables. It may not look like a placeholder either: `{{{a}}x}}` with `{` for `a` would be `{{x}}`.
 * That means one thing now and another when the resolved project is sent again, so it is a fault.
 */

/** One source of values. The first layer that has a name wins. */
export type Layer = {
  /** Path of the values in the request: `variables`, `scenes[0].variables`. */
  readonly path: string
  /** A name whose value is `undefined` hides the layers below: it is not known yet. */
  readonly values: Readonly<Record<string, unknown>>
  /** True for values without placeholders of their own, such as the item of an iteration. */
  readonly filled: boolean
}

/** Most output of one request's placeholders: characters, and 8 for each value. */
const maxExpansion = 4_000_000
const valueWeight = 8

/** Deepest output, the same as for a request's JSON: the output is a request again. */
const maxNesting = 64

/** Most missing names, one more than a report lists. */
const maxMissing = 501

/**
 * `missing`: undefined variables on the way, at most `maxMissing`. `broken`: filling failed, and
 * its fault is reported. `nesting`: levels of objects and arrays in the value.
 */
type Filling = {
  readonly value: unknown
  readonly weight: number
  readonly nesting: number
  readonly missing: readonly string[]
  readonly broken: boolean
}

export type Budget = {
  /** Returns false once the budget is exceeded; the first time it is a fault at `path`. */
  spend(weight: number, path: string): boolean
  isSpent(): boolean
  readonly report: Report
}

export type Scope = {
  /**
   * Fills the placeholders of a value; `value` is `unresolved` when that failed. `field`: path of
   * the value.
   */
  fill(raw: unknown, field: string): Filling
  /** Returns the value at a dotted path, or undefined. */
  at(path: string): Filling | undefined
  /** Returns the unfilled value at a path, for a list that is expanded at its place of use. */
  raw(path: string, field: string): Raw
  /** Returns the message for an undefined variable; `hint`: suggest a similar name. */
  missing(path: string, hint: boolean): string
}

type Raw = { readonly node: unknown; readonly filled: boolean }

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
  const known = new Map<string, Filling>()
  const raws = new Map<string, Raw>()
  return {
    fill(raw, field) {
      const context: Context = { layers, budget, known, field }
      for (const path of references(raw)) lookUp(context, path)
      return fillNode(context, raw, field)
    },
    at(path) {
      const context: Context = { layers, budget, known, field: definition(layers, path) }
      const found = lookUp(context, path)
      return found.missing.includes(path) ? undefined : found
    },
    raw(path, field) {
      const found = raws.get(path) ?? findRaw({ layers, budget, known, field }, path)
      raws.set(path, found)
      return found
    },
    missing: (path, hint) => missingVariable(path, hint ? layers : []),
  }
}

/** `known`: values filled so far. `field`: path in the request that is being filled. */
type Context = {
  readonly layers: readonly Layer[]
  readonly budget: Budget
  readonly known: Map<string, Filling>
  readonly field: string
}

const failed: Filling = { value: unresolved, weight: 0, nesting: 0, missing: [], broken: true }

/** A path that is being filled. `needs`: the paths to fill before it, done up to `next`. */
type Visit = {
  readonly path: string
  readonly place: PathTarget
  readonly needs: readonly string[]
  next: number
}

/** Returns the value at a path; the paths that it refers to are filled first, depth first. */
function lookUp(context: Context, path: string): Filling {
  const { known } = context
  const open: Visit[] = []
  const opened = new Map<string, number>()
  const enter = (next: string) => {
    const place = descend(context.layers, next)
    opened.set(next, open.length)
    open.push({ path: next, place, needs: needsOf(place), next: 0 })
  }
  if (!known.has(path)) enter(path)
  for (let visit = open.at(-1); visit; visit = open.at(-1)) {
    const need = visit.needs[visit.next++]
    if (need === undefined) {
      known.set(visit.path, finish(context, visit))
      opened.delete(visit.path)
      open.pop()
      continue
    }
    const circle = opened.get(need)
    // An open path is still unknown when the path that needs it finishes: that one is broken.
    if (circle !== undefined) reportCircle(context, open, circle)
    else if (!known.has(need)) enter(need)
  }
  return known.get(path) ?? failed
}

function needsOf({ node, rest, above, filled }: PathTarget): readonly string[] {
  if (filled) return []
  if (rest.length === 0) return references(node)
  return typeof node === 'string' && hasPlaceholder(node) ? [above] : []
}

/** Returns the paths of all placeholders in an unfilled value. */
function references(raw: unknown): string[] {
  const found: string[] = []
  const read = (node: unknown) => {
    if (typeof node === 'string') {
      if (!node.includes('{{')) return
      for (const part of splitPlaceholders(node)) if ('path' in part) found.push(part.path)
    } else if (typeof node === 'object' && node !== null) Object.values(node).forEach(read)
  }
  read(raw)
  return found
}

/** Fills a path whose needs are known. */
function finish(context: Context, { path, place, needs }: Visit): Filling {
  const { node, rest, filled } = place
  const undefinedOne: Filling = { ...failed, broken: false, missing: [path] }
  if (rest.length > 0) {
    const [above] = needs
    if (above === undefined) return undefinedOne
    const holder = context.known.get(above) ?? failed
    if (holder.broken || holder.missing.length > 0) return holder
    const target = rest.reduce(childNode, holder.value)
    return target === undefined ? undefinedOne : measure(context, target)
  }
  if (node === undefined) return undefinedOne
  if (filled) return measure(context, node)
  const other = typeof node === 'string' ? wholePlaceholder(node) : undefined
  if (other === undefined) return fillNode(context, node, definition(context.layers, path))
  // Another name for the same value costs no more budget.
  return charge(context, valueWeight, context.known.get(other) ?? failed)
}

function findRaw(context: Context, path: string): Raw {
  const seen = new Set<string>()
  let place = descend(context.layers, path)
  for (;;) {
    const next = typeof place.node === 'string' ? wholePlaceholder(place.node) : undefined
    if (place.filled || next === undefined) break
    const isAffordable = context.budget.spend(valueWeight * (1 + place.rest.length), context.field)
    if (!isAffordable || seen.has(place.above)) return { node: undefined, filled: true }
    seen.add(place.above)
    place = descend(context.layers, [next, ...place.rest].join('.'))
  }
  return { node: place.rest.reduce(childNode, place.node), filled: place.filled }
}

/** Target of a path; `above`: the part of the path that leads to `node`, `rest`: the remaining keys. */
type PathTarget = Raw & { readonly above: string; readonly rest: readonly string[] }

/** Follows a path through unfilled values; `rest` holds the keys beyond a text or a missing value. */
function descend(layers: readonly Layer[], path: string): PathTarget {
  const keys = path.split('.')
  const [name = ''] = keys
  const layer = layers.find(({ values }) => Object.hasOwn(values, name))
  let node: unknown = layer?.values[name]
  let at = 1
  for (; typeof node === 'object' && node !== null && at < keys.length; at++) {
    const child = childNode(node, keys[at] ?? '')
    if (child === undefined) break
    node = child
  }
  const above = at === keys.length ? path : keys.slice(0, at).join('.')
  return { node, above, rest: keys.slice(at), filled: layer?.filled ?? true }
}

/** Reads own properties and array items only, so that no built-in property is reachable. */
function childNode(node: unknown, key: string): unknown {
  if (typeof node !== 'object' || node === null) return undefined
  if (Array.isArray(node)) return /^[0-9]+$/.test(key) ? node[Number(key)] : undefined
  return Object.hasOwn(node, key) ? (node as Record<string, unknown>)[key] : undefined
}

/** Fills a value whose references are known. `field`: its path. */
function fillNode(context: Context, raw: unknown, field: string): Filling {
  if (typeof raw === 'string') return fillText(context, raw, field)
  if (typeof raw !== 'object' || raw === null) return spend(context, raw, valueWeight)
  const entries = Object.values(raw).map((item) => fillNode(context, item, field))
  const value = Array.isArray(raw)
    ? entries.map((entry) => entry.value)
    : Object.fromEntries(Object.keys(raw).map((key, i) => [key, entries[i]?.value]))
  const { nesting, ...joined } = join(context, entries, value)
  if (nesting < maxNesting) return { ...joined, nesting: nesting + 1 }
  context.budget.report.add(
    field,
    `The value must be nested <= ${maxNesting} levels deep once its placeholders are filled in.`,
  )
  return failed
}

function fillText(context: Context, text: string, field: string): Filling {
  const path = wholePlaceholder(text)
  if (path !== undefined) {
    const found = context.known.get(path) ?? failed
    return charge(context, found.weight, found)
  }
  if (!hasPlaceholder(text)) return spend(context, text, valueWeight + text.length)
  const fillings: Filling[] = []
  let filledText = ''
  for (const part of splitPlaceholders(text)) {
    if ('text' in part) filledText += part.text
    else {
      const found = context.known.get(part.path) ?? failed
      fillings.push(found)
      // Charged before it is built: the text of a large value is not built in vain.
      if (!found.broken && charge(context, found.weight, found).broken) return failed
      if (!found.broken && found.missing.length === 0) filledText += asText(found.value)
    }
  }
  const joined = join(context, fillings, filledText)
  if (joined.value !== unresolved && hasPlaceholder(filledText)) {
    const rule = 'A text must not hold another placeholder once its placeholders are filled in.'
    context.budget.report.add(field, `${rule} Got ${shownValue(filledText)}.`)
    return failed
  }
  return { ...joined, weight: valueWeight + filledText.length, nesting: 0 }
}

/** Converts a value inside a longer text; objects and arrays become JSON. */
function asText(value: unknown): string {
  if (value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Weighs a value that needs no filling. */
function measure(context: Context, value: unknown): Filling {
  if (typeof value === 'string') return spend(context, value, valueWeight + value.length)
  if (typeof value !== 'object' || value === null) return spend(context, value, valueWeight)
  const entries = Object.values(value).map((item) => measure(context, item))
  const joined = join(context, entries, value)
  return { ...joined, nesting: joined.nesting + 1 }
}

/** Combines the fillings of a value's parts. */
function join(context: Context, parts: readonly Filling[], value: unknown): Filling {
  let weight = valueWeight
  let nesting = 0
  let broken = false
  const names = new Set<string>()
  for (const part of parts) {
    weight += part.weight
    nesting = Math.max(nesting, part.nesting)
    broken ||= part.broken
    if (part.missing.length === 0 || names.size >= maxMissing) continue
    broken ||= charge(context, part.missing.length * valueWeight, part).broken
    for (const name of part.missing) names.add(name)
  }
  const missing = [...names].slice(0, maxMissing)
  if (broken || missing.length > 0) {
    return { value: unresolved, weight: 0, nesting, missing, broken }
  }
  return { value, weight, nesting, missing, broken }
}

function spend(context: Context, value: unknown, weight: number): Filling {
  return charge(context, weight, { value, weight, nesting: 0, missing: [], broken: false })
}

function charge({ budget, field }: Context, weight: number, filling: Filling): Filling {
  return budget.spend(weight, field) ? filling : failed
}

/** Most members of a circle that its fault names. */
const maxShownMembers = 50

/** Reports the circle of visits from `first` on. */
function reportCircle({ layers, budget }: Context, open: readonly Visit[], first: number) {
  if (budget.report.isFull()) return
  const count = open.length - first
  const shown = open.slice(first, first + maxShownMembers).map(({ path }) => shownPath(path))
  const names = count > shown.length ? [...shown, `… (${count} in all)`] : shown
  const way = [...names, shown[0]].join(' → ')
  const message = `Variables must not refer to each other in a circle: ${way}.`
  budget.report.add(definition(layers, open[first]?.path ?? ''), message)
}

/** Path of a variable's definition in the request. */
function definition(layers: readonly Layer[], path: string): string {
  const [name = ''] = path.split('.')
  const layer = layers.find(({ values }) => Object.hasOwn(values, name))
  return `${layer?.path ?? 'variables'}.${shownPath(path)}`
}

function shownPath(path: string): string {
  return path.length > 100 ? `${path.slice(0, 99)}…` : path
}

function missingVariable(path: string, layers: readonly Layer[]): string {
  const names = layers.flatMap(({ values }) => Object.keys(values)).slice(0, 1000)
  const meant = path.includes('.') ? undefined : nearest(path, names)
  const hint = meant ? ` Did you mean "${meant}"?` : ''
  return `The variable ${shownValue(path)} is not defined.${hint}`
}
