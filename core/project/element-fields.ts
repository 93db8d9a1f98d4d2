import { describe, isRecord } from './check.ts'

/** Reads the fields of a part of the language from its schema. */

export type ElementField = {
  /** Name; within an unnamed object, the path to it: `words[].start`. */
  readonly name: string
  readonly required: boolean
  /** The rule as errors state it. */
  readonly rule: string
  readonly placeholder: boolean
  /** Parts of the language that describe its value. */
  readonly parts: readonly string[]
}

export type Fields = {
  readonly properties?: Readonly<Record<string, object>>
  readonly required?: readonly string[]
}

/** Names the part that describes a schema, or a field of any schema. */
export type PartNames = {
  /** The schema's title, or its `$id` where it has no title. */
  readonly bySchema: ReadonlyMap<string, string>
  readonly byField: ReadonlyMap<string, string>
}

type Described = { readonly part: string; readonly names: PartNames; readonly within?: string }

export function fieldsOf({ properties = {}, required = [] }: Fields, described: Described) {
  return Object.entries(properties).flatMap(([key, schema]): ElementField[] => {
    const { part, names, within = '' } = described
    const name = `${within}${key}`
    const nested = nestedIn(schema)
    const parts = nested.flatMap((each) => names.bySchema.get(nameOf(each)) ?? [])
    const own = names.byField.get(key)
    const others = [...new Set(own === undefined ? parts : [...parts, own])]
    const field = {
      ...{ name, required: required.includes(key), placeholder: takesPlaceholder(schema) },
      rule: ruleOf(schema),
      parts: others.filter((each) => each !== part),
    }
    const unfolded = nested.filter((each) => {
      const owner = names.bySchema.get(nameOf(each))
      return 'properties' in each && (owner === undefined || owner === part)
    })
    const path = isList(schema) ? `${name}[].` : `${name}.`
    return [field, ...unfolded.flatMap((each) => fieldsOf(each, { part, names, within: path }))]
  })
}

/** States the rule of a field as errors do. */
export function ruleOf(schema: object): string {
  if (Object.keys(schema).length === 0) return 'any value'
  const rule = describe(schema)
  const lengths = nestedIn(schema).flatMap((each) =>
    rule === 'a string' && 'maxLength' in each ? [`of at most ${each.maxLength} characters`] : [],
  )
  return [rule, ...lengths].join(' ')
}

/** Name by which a part is found. */
export function nameOf(schema: object): string {
  if ('title' in schema) return String(schema.title)
  return '$id' in schema ? String(schema.$id) : ''
}

/** Returns the schemas of a field's value and of its items; unions have one for each variant. */
export function nestedIn(schema: object): object[] {
  const branches: unknown = 'anyOf' in schema ? schema.anyOf : undefined
  if (Array.isArray(branches)) return branches.filter(isRecord).flatMap(nestedIn)
  if ('items' in schema && isRecord(schema.items)) return nestedIn(schema.items)
  return nameOf(schema) === placeholderName ? [] : [schema]
}

const placeholderName = 'a placeholder like {{ name }}'

function isList(schema: object): boolean {
  return branchesOf(schema).some((branch) => 'items' in branch)
}

export function takesPlaceholder(schema: object): boolean {
  return branchesOf(schema).some((branch) => '$id' in branch && branch.$id === 'Placeholder')
}

function branchesOf(schema: object): object[] {
  const branches: unknown = 'anyOf' in schema ? schema.anyOf : undefined
  return Array.isArray(branches) ? branches.filter(isRecord) : [schema]
}
