import { type Check, compileCheck } from '../check.ts'

/** The keywords of the language's schemas that a repair reads; check.ts knows them all. */
export type Schema = {
  readonly $id?: string
  readonly title?: string
  readonly type?: string
  readonly enum?: readonly (string | number)[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly discriminator?: { readonly propertyName: string }
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: false | Schema
  readonly items?: Schema
  readonly minimum?: number
  readonly maximum?: number
}

const checks = new WeakMap<Schema, Check>()

/** Whether a schema takes a value as it was sent: a placeholder passes where one may stand. */
export function accepts(schema: Schema, value: unknown): boolean {
  let check = checks.get(schema)
  if (!check) {
    check = compileCheck(schema)
    checks.set(schema, check)
  }
  let faults = 0
  // The rule for URLs is no concern here: no repair makes up an address.
  const meaning = 'invalid_project' as const
  const report = { faults: [], meaning, isFull: () => false, add: () => void faults++ }
  check(value, '', { stage: 'sent', report })
  return faults === 0
}

/** The typed variants of a schema, without the placeholder that may stand for any of them. */
export function variantsOf(schema: Schema): readonly Schema[] {
  if (!schema.anyOf || schema.discriminator) return [schema]
  return schema.anyOf.filter(({ $id }) => $id !== 'Placeholder').flatMap(variantsOf)
}
