import { mediaUrlFault, webhookUrlFault } from './media-url.ts'
import { nearest } from './nearest.ts'
import { hasPlaceholder, placeholderRule } from './placeholder.ts'
import { childOf, nameOf, type Report, shownValue } from './report.ts'
import { textFault } from './text.ts'
import { finiteRule } from './walk.ts'

/**
 * Validates values against our own TypeBox schemas, with errors made for people: of a union, only
 * the faults of the intended variant. It knows the JSON Schema keywords of the language and throws
 * on any other, so that none can be ignored; a test compares it with Ajv on the published schema.
 *
 * The same checks run twice. On the request `sent`, a placeholder stands for any value. The
 * `filled` tree has none, and `unresolved` marks values whose fault is already reported.
 */

/** Marks a value of a filled tree that could not be made; its fault has been reported. */
export const unresolved = Symbol('unresolved')

type CheckContext = {
  readonly stage: 'sent' | 'filled'
  readonly report: Report
  /** `host:port` that are exempt from the rules for URLs. */
  readonly trustedHosts?: readonly string[]
  /** Path of an array's item in the request, where it differs from its path in this tree. */
  readonly origin?: ReadonlyMap<object, string>
}

export type Check = (value: unknown, path: string, context: CheckContext) => void

/** Keywords of the language's schemas. */
type Schema = {
  readonly $id?: string
  readonly title?: string
  readonly type?: 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean' | 'null'
  readonly enum?: readonly (string | number)[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly discriminator?: { readonly propertyName: string }
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: false | Schema
  readonly propertyNames?: { readonly pattern: string; readonly title: string }
  readonly minProperties?: number
  readonly maxProperties?: number
  readonly oneOf?: readonly { readonly required: readonly [string] }[]
  readonly items?: Schema
  readonly minItems?: number
  readonly maxItems?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly urlOf?: keyof typeof urlFaults
}

const keywords = new Set(
  (
    '$id title type enum const anyOf discriminator properties required additionalProperties ' +
    'propertyNames minProperties maxProperties oneOf items minItems maxItems minimum maximum ' +
    'exclusiveMinimum minLength maxLength pattern urlOf description'
  ).split(' '),
)

/** Compiles a schema once; throws on a keyword it does not know. */
export function compileCheck(schema: object): Check {
  const check = compile(schema as Schema)
  return (value, path, context) => {
    if (value !== unresolved) check(value, path, context)
  }
}

function compile(schema: Schema, siblings: readonly Schema[] = []): Check {
  const unknown = Object.keys(schema).find((key) => !keywords.has(key))
  if (unknown) throw new Error(`The checker knows no keyword "${unknown}".`)
  if (schema.anyOf) return compileUnion(schema, schema.anyOf)
  if (schema.enum || schema.const !== undefined) return compileFixed(schema)
  switch (schema.type) {
    case 'object':
      return compileObject(schema, siblings)
    case 'array':
      return compileArray(schema)
    case 'string':
      return compileString(schema)
    case 'number':
    case 'integer':
      return compileNumber(schema)
    case 'boolean':
    case 'null':
      return ofType(schema)
    case undefined:
      return () => undefined
    default:
      return schema.type satisfies never
  }
}

function compileUnion(schema: Schema, all: readonly Schema[]): Check {
  const branches = all.filter((branch) => branch.$id !== 'Placeholder')
  const takesPlaceholder = branches.length < all.length
  const inner = schema.discriminator
    ? compileTagged(branches, schema.discriminator.propertyName)
    : compileEither(branches)
  if (!takesPlaceholder) return inner
  return (value, path, context) => {
    const isText = context.stage === 'sent' && typeof value === 'string'
    if (isText && hasPlaceholder(value)) return checkNul(value, path, context)
    inner(value, path, isText && value.includes('{{') ? explaining(context) : context)
  }
}

/** Adds to every fault how a placeholder is written: the value looks like one and is none. */
function explaining(context: CheckContext): CheckContext {
  const { report } = context
  const add: Report['add'] = (field, message, code) =>
    report.add(field, `${message} ${placeholderRule}`, code)
  return { ...context, report: { ...report, add } }
}

/** Chooses the variant by one property; if absent, the variant that does not require it. */
function compileTagged(branches: readonly Schema[], tag: string): Check {
  const variants = branches.map((branch) => ({
    matches: accepts(branch.properties?.[tag] ?? {}),
    check: compile(branch, branches),
  }))
  const fallback = branches.findIndex((branch) => !branch.required?.includes(tag))
  const names = branches.map((branch) => tagName(branch.properties?.[tag])).join(', ')
  return (value, path, context) => {
    if (!isRecord(value)) {
      return context.report.add(path, rule(path, 'an object', value))
    }
    const given = Object.hasOwn(value, tag) ? value[tag] : undefined
    const chosen =
      given === undefined ? variants[fallback] : variants.find(({ matches }) => matches(given))
    if (chosen) return chosen.check(value, path, context)
    if (given !== unresolved) {
      context.report.add(childOf(path, tag), rule(tag, `one of ${names}`, given))
    }
  }
}

/** Chooses the branch by JSON type; if several fit, the message names them all. */
function compileEither(branches: readonly Schema[]): Check {
  const options = branches.map((branch) => ({
    types: typesOf(branch),
    check: compile(branch),
    accepts: accepts(branch),
  }))
  const text = branches.map(describe).join(' or ')
  return (value, path, context) => {
    const type = typeOf(value)
    const fitting = options.filter(({ types }) => types.includes(type))
    const [only] = fitting
    if (only && fitting.length === 1) only.check(value, path, context)
    else if (!fitting.some((option) => option.accepts(value))) {
      context.report.add(path, rule(path, text, value))
    }
  }
}

function compileObject(schema: Schema, siblings: readonly Schema[]): Check {
  const fields = Object.entries(schema.properties ?? {})
  const checks = new Map(fields.map(([key, field]) => [key, compileCheck(field)]))
  const rest = schema.additionalProperties ? compileCheck(schema.additionalProperties) : undefined
  const names = schema.propertyNames && new RegExp(schema.propertyNames.pattern, 'u')
  const closed = schema.additionalProperties === false
  return (value, path, context) => {
    const { report } = context
    if (!isRecord(value)) return report.add(path, rule(path, describe(schema), value))
    const keys = Object.keys(value)
    if (keys.length < (schema.minProperties ?? 0)) {
      const known = fields.map(([key]) => key).join(', ')
      report.add(path, `At least one of ${known} must be given. Got none.`)
    }
    if (schema.maxProperties !== undefined && keys.length > schema.maxProperties) {
      report.add(path, count(path, `<= ${schema.maxProperties} properties`, keys.length))
    }
    for (const key of keys) {
      if (report.isFull()) return
      const at = childOf(path, key)
      if (names && !names.test(key)) {
        report.add(at, `must be ${schema.propertyNames?.title}. Got ${shownValue(key)}.`)
      }
      const check = checks.get(key)
      if (check) check(value[key], at, context)
      else if (closed) report.add(at, unknownProperty(key, schema, siblings))
      else rest?.(value[key], at, context)
    }
    for (const key of schema.required ?? []) {
      if (!Object.hasOwn(value, key)) report.add(childOf(path, key), `${key} must be given.`)
    }
    checkChoice(schema, value, path, report)
  }
}

function checkChoice(schema: Schema, value: object, path: string, report: Report) {
  if (!schema.oneOf) return
  const names = schema.oneOf.map(({ required: [name] }) => name)
  const given = names.filter((name) => Object.hasOwn(value, name))
  if (given.length === 1) return
  const seen = given.length === 0 ? 'neither' : given.join(' and ')
  report.add(path, `Exactly one of ${names.join(' and ')} must be given. Got ${seen}.`)
}

function unknownProperty(key: string, schema: Schema, siblings: readonly Schema[]): string {
  const got = `${shownValue(key)} is not a property of ${schema.title ?? 'the object'}`
  const owners = siblings.filter((other) => Object.hasOwn(other.properties ?? {}, key))
  if (owners.length > 0) return `${got}: it belongs to ${owners.map(describe).join(' or ')}.`
  const meant = nearest(key, Object.keys(schema.properties ?? {}))
  return meant ? `${got}. Did you mean "${meant}"?` : `${got}.`
}

function compileArray(schema: Schema): Check {
  const item = compileCheck(schema.items ?? {})
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema
  return (value, path, context) => {
    if (!Array.isArray(value)) return context.report.add(path, rule(path, 'an array', value))
    if (value.length < minItems) {
      context.report.add(path, count(path, `>= ${minItems} items`, value.length))
    }
    if (value.length > maxItems) {
      return context.report.add(path, count(path, `<= ${maxItems} items`, value.length))
    }
    for (const [i, entry] of value.entries()) {
      const moved = isRecord(entry) ? context.origin?.get(entry) : undefined
      item(entry, moved ?? `${path}[${i}]`, context)
    }
  }
}

function compileString(schema: Schema): Check {
  const pattern = schema.pattern === undefined ? undefined : new RegExp(schema.pattern, 'u')
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema
  const urlFault = schema.urlOf && urlFaults[schema.urlOf]
  return (value, path, { report, trustedHosts = [] }) => {
    if (typeof value !== 'string') return report.add(path, rule(path, describe(schema), value))
    const length = lengthWithin(value, minLength, maxLength)
    if (length > maxLength) report.add(path, count(path, `<= ${maxLength} characters`, length))
    else if (length < minLength) {
      report.add(path, count(path, `>= ${minLength} characters`, length))
    } else if (pattern && !pattern.test(value)) {
      const isOnlyNul = value.includes('\0') && pattern.test(value.replaceAll('\0', ''))
      if (isOnlyNul) return checkNul(value, path, { report })
      const fault = urlFault?.(value, trustedHosts)
      report.add(path, fault ? `${nameOf(path)} ${fault}` : rule(path, describe(schema), value))
    } else {
      const fault = urlFault?.(value, trustedHosts)
      if (fault) report.add(path, `${nameOf(path)} ${fault}`, report.meaning)
    }
  }
}

/**
 * The published pattern allows no NUL. The message is that of walk.ts and reveals nothing of a secret.
 */
function checkNul(value: string, path: string, { report }: Pick<CheckContext, 'report'>): void {
  const fault = value.includes('\0') ? textFault(value) : undefined
  if (fault !== undefined) report.add(path, fault)
}

/** Faults of a well-formed URL; undefined = none. */
const urlFaults = {
  media: (url: string, trustedHosts: readonly string[]) => mediaUrlFault(url, { trustedHosts }),
  webhook: (url: string, trustedHosts: readonly string[]) => webhookUrlFault(url, { trustedHosts }),
} as const

/**
 * Counts characters where UTF-16 units cannot decide: a character beyond the basic plane has two units.
 */
function lengthWithin(text: string, min: number, max: number): number {
  return text.length > max || text.length < 2 * min ? [...text].length : text.length
}

function compileNumber(schema: Schema): Check {
  const { minimum, maximum, exclusiveMinimum } = schema
  const integer = schema.type === 'integer'
  return (value, path, { report }) => {
    const isNumber = typeof value === 'number'
    if (isNumber && !Number.isFinite(value)) {
      report.add(path, finiteRule(path, value))
    } else if (!isNumber || (integer && !Number.isInteger(value))) {
      report.add(path, rule(path, describe(schema), value))
    } else if (minimum !== undefined && value < minimum) {
      report.add(path, rule(path, `>= ${minimum}`, value))
    } else if (maximum !== undefined && value > maximum) {
      report.add(path, rule(path, `<= ${maximum}`, value))
    } else if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) {
      report.add(path, rule(path, `> ${exclusiveMinimum}`, value))
    }
  }
}

function compileFixed(schema: Schema): Check {
  const fits = accepts(schema)
  return (value, path, { report }) => {
    if (fits(value)) return
    const meant =
      typeof value === 'string' && schema.enum && nearest(value, schema.enum.map(String))
    const hint = meant ? ` Did you mean "${meant}"?` : ''
    report.add(path, `${rule(path, describe(schema), value)}${hint}`)
  }
}

function ofType(schema: Schema): Check {
  return (value, path, { report }) => {
    if (typeOf(value) !== schema.type) report.add(path, rule(path, describe(schema), value))
  }
}

/** Returns a test of whether a plain schema, without nested faults, accepts a value. */
function accepts(schema: Schema): (value: unknown) => boolean {
  if (schema.enum) return (value) => schema.enum?.some((entry) => entry === value) ?? false
  if (schema.const !== undefined) return (value) => value === schema.const
  const check = compile(schema)
  return (value) => {
    let faults = 0
    const meaning = 'invalid_project' as const
    const report = { faults: [], meaning, isFull: () => false, add: () => void faults++ }
    check(value, '', { stage: 'filled', report })
    return faults === 0
  }
}

/** Describes a schema's rule: "a number from 0 to 1". */
export function describe(schema: Schema): string {
  if (schema.title) return schema.title
  if (schema.anyOf) {
    const typed = schema.anyOf.filter((branch) => branch.$id !== 'Placeholder')
    return typed.map(describe).join(' or ')
  }
  if (schema.enum) return `one of ${schema.enum.join(', ')}`
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  switch (schema.type) {
    case 'number':
      return `a number${range(schema)}`
    case 'integer':
      return `a whole number${range(schema)}`
    case 'boolean':
      return 'true or false'
    case 'null':
      return 'null'
    case 'array':
    case 'object':
      return `an ${schema.type}`
    default:
      return `a ${schema.type ?? 'value'}`
  }
}

function range({ minimum, maximum, exclusiveMinimum }: Schema): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`
  if (exclusiveMinimum !== undefined) {
    return ` > ${exclusiveMinimum}${maximum === undefined ? '' : ` and <= ${maximum}`}`
  }
  return minimum === undefined ? '' : ` >= ${minimum}`
}

function typesOf(schema: Schema): string[] {
  if (schema.anyOf) return schema.anyOf.flatMap(typesOf)
  if (schema.enum) return schema.enum.map(typeOf)
  if (schema.const !== undefined) return [typeOf(schema.const)]
  return [schema.type === 'integer' ? 'number' : (schema.type ?? 'any')]
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

function tagName(schema: Schema | undefined): string {
  return String(schema?.const ?? schema?.title ?? '')
}

function rule(path: string, expected: string, value: unknown): string {
  return `${nameOf(path)} must be ${expected}. Got ${shownValue(value)}.`
}

function count(path: string, expected: string, seen: number): string {
  return `${nameOf(path)} must have ${expected}. Got ${seen}.`
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
