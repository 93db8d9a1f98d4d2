import fc from 'fast-check'

type Schema = Readonly<Record<string, unknown>>

/**
 * Generates values that a schema accepts, and some that it does not: junk, an extra property, a
 * number out of range.
 */
export function arbitraryOf(schema: Schema): fc.Arbitrary<unknown> {
  return fc.oneof(
    { arbitrary: valid(schema), weight: 99 },
    { arbitrary: fc.constantFrom(...junk), weight: 1 },
  )
}

const junk = [
  null,
  true,
  -1,
  0,
  1.5,
  70_000,
  '',
  'x',
  '#fff',
  '{{ a }}',
  '{{a',
  [],
  {},
  { type: 'x' },
]

function valid(schema: Schema): fc.Arbitrary<unknown> {
  if (Array.isArray(schema.anyOf)) {
    return fc.oneof(...schema.anyOf.map((branch: Schema) => arbitraryOf(branch)))
  }
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum)
  if ('const' in schema) return fc.constant(schema.const)
  switch (schema.type) {
    case 'object':
      return objects(schema)
    case 'array':
      return fc.array(arbitraryOf(schema.items as Schema), { maxLength: 2 })
    case 'string':
      return strings(schema)
    case 'number':
    case 'integer':
      return numbers(schema)
    case 'boolean':
      return fc.boolean()
    default:
      return fc.constantFrom(...junk)
  }
}

function objects(schema: Schema): fc.Arbitrary<unknown> {
  const fields = Object.entries((schema.properties ?? {}) as Record<string, Schema>)
  const required = (schema.required ?? []) as string[]
  const choice = (schema.oneOf ?? []) as { required: [string] }[]
  const exclusive = choice.map(({ required: [name] }) => name)
  const known = fields
    .filter(([key]) => !exclusive.includes(key))
    .map(([key, field]) => [key, given(arbitraryOf(field), required.includes(key))] as const)
  const chosen = fields
    .filter(([key]) => exclusive.includes(key))
    .map(([key, field]) => arbitraryOf(field).map((value) => ({ [key]: value })))
  const extra = fc.oneof(
    { arbitrary: fc.constant({}), weight: 60 },
    { arbitrary: fc.constantFrom({ extra: 1 }, { src: 'x' }, { color: 'red' }), weight: 1 },
  )
  const one = chosen.length > 0 ? fc.oneof(...chosen) : fc.constant({})
  return fc.tuple(fc.record(Object.fromEntries(known)), one, extra).map(([object, other, more]) => {
    const entries = Object.entries(object).filter(([, value]) => value !== undefined)
    return { ...Object.fromEntries(entries), ...other, ...more }
  })
}

/** Leaves out a required field rarely, an optional one mostly. */
function given(value: fc.Arbitrary<unknown>, required: boolean): fc.Arbitrary<unknown> {
  return fc.oneof(
    { arbitrary: value, weight: required ? 60 : 1 },
    { arbitrary: fc.constant(undefined), weight: required ? 1 : 3 },
  )
}

function strings(schema: Schema): fc.Arbitrary<unknown> {
  const { pattern } = schema
  // Rules of URLs beyond the published pattern are not tested here.
  const matching = schema.urlOf
    ? fc.constantFrom('https://example.com', 'https://cdn.example.com:443/a.png?b=c#d', 'ftp://a.b')
    : typeof pattern === 'string'
      ? fc.stringMatching(new RegExp(pattern.replace('\\s*', ' ?'), 'u'), { maxLength: 40 })
      : fc.string({ maxLength: 20 })
  const long = typeof schema.maxLength === 'number' && schema.maxLength <= 1000
  return long
    ? fc.oneof(
        { arbitrary: matching, weight: 60 },
        {
          arbitrary: fc.constantFrom('a'.repeat(1001), '😀'.repeat(100), '😀'.repeat(101)),
          weight: 1,
        },
      )
    : matching
}

function numbers({ type, minimum, maximum, exclusiveMinimum }: Schema): fc.Arbitrary<unknown> {
  const low = (minimum ?? exclusiveMinimum ?? -1000) as number
  const high = (maximum ?? low + 2000) as number
  const edges = fc.constantFrom(low, high, low - 1, high + 1, low + 0.5)
  const inside =
    type === 'integer'
      ? fc.integer({ min: Math.ceil(low), max: high })
      : fc.double({ min: low, max: high, noNaN: true })
  return fc.oneof({ arbitrary: inside, weight: 60 }, { arbitrary: edges, weight: 1 })
}
