import { type Check, compileCheck } from '../check.ts'

/** Schema keywords that a repair reads; check.ts knows them all. */
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

/** True where a schema accepts a value as sent: a placeholder passes where one is allowed. */
export function accepts(schema: Schema, value: unknown): boolean {
  let check = checks.get(schema)
  if (!check) {
    check = compileCheck(schema)
    checks.set(schema, check)
  }
  let faults = 0
  // URL rules do not matter here: no repair makes up an address.
  const meaning = 'invalid_project' as const
  const report = { faults: [], meaning, isFull: () => false, add: () => void faults++ }
  check(value, '', { stage: 'sent', report })
  return faults === 0
}

/** Returns the typed variants of a schema, without the placeholder. */
export function variantsOf(schema: Schema): readonly Schema[] {
  if (!schema.anyOf || schema.discriminator) return [schema]
  return schema.anyOf.filter(({ $id }) => $id !== 'Placeholder').flatMap(variantsOf)
}
