import { shownPath, shownValue } from './strangers-text.ts'

/** Finds every fault of a tool's input, in sentences: the SDK's name neither field nor value. */

type Schema = {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, object>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean
  readonly items?: object
  readonly enum?: readonly unknown[]
  readonly minimum?: number
  readonly maximum?: number
}

type InputFault = { readonly field: string; readonly message: string }

const valueMost = 200

/** Returns one fault for each rule of the schema that a value breaks. */
export function inputFaults(given: object, value: unknown, field = ''): readonly InputFault[] {
  const schema = given as Schema
  const broken = brokenRule(schema, value)
  if (broken !== undefined) {
    return [{ field, message: `must be ${broken}. Got ${shownValue(value, valueMost)}` }]
  }
  if (schema.type === 'array' && schema.items) {
    const { items } = schema
    return (value as readonly unknown[]).flatMap((item, i) =>
      inputFaults(items, item, `${field}[${i}]`),
    )
  }
  return schema.properties ? propertyFaults(schema, value as object, field) : []
}

/** Says what a value by itself must be; undefined: it is that. */
function brokenRule({ type, enum: known, minimum, maximum }: Schema, value: unknown) {
  if (known && !known.includes(value)) return `one of ${known.join(', ')}`
  const types = type === undefined ? [] : [type].flat()
  const isRight = types.length === 0 || types.some((each) => isOfType[each]?.(value) !== false)
  const isWithin =
    minimum === undefined || maximum === undefined || isBetween(value, minimum, maximum)
  if (isRight && isWithin) return undefined
  const noun = types.map((each) => nouns[each] ?? each).join(' or ')
  return minimum === undefined ? noun : `${noun} from ${minimum} to ${maximum}`
}

const nouns: Readonly<Record<string, string>> = {
  object: 'an object',
  array: 'an array',
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
}

const isOfType: Readonly<Record<string, (value: unknown) => boolean>> = {
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  array: Array.isArray,
  string: (value) => typeof value === 'string',
  integer: Number.isInteger,
  number: Number.isFinite,
  boolean: (value) => typeof value === 'boolean',
}

function isBetween(value: unknown, minimum: number, maximum: number): boolean {
  return typeof value === 'number' && value >= minimum && value <= maximum
}

function propertyFaults(schema: Schema, value: object, field: string): readonly InputFault[] {
  const { properties = {}, required = [], additionalProperties } = schema
  const at = (name: string) => (field === '' ? name : `${field}.${name}`)
  const missing = required
    .filter((name) => !Object.hasOwn(value, name))
    .map((name) => ({ field: at(name), message: 'must be given. Got nothing' }))
  const known = Object.keys(properties).join(', ')
  const rule = known === '' ? 'The tool takes no fields' : `The fields must be among ${known}`
  const wrong = Object.entries(value).flatMap(([name, inner]) => {
    const own = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (own) return inputFaults(own, inner, at(name))
    if (additionalProperties !== false) return []
    return [{ field: at(name), message: `${rule}. Got ${shownPath(name)}` }]
  })
  return [...missing, ...wrong]
}
