/** JSON Schema, limited to the keywords of the service's own schemas. */
export type Schema = {
  readonly $ref?: string
  readonly title?: string
  readonly description?: string
  readonly type?: string
  readonly pattern?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly patternProperties?: Readonly<Record<string, Schema>>
}

export type TypeWriter = ReturnType<typeof createTypeWriter>

/**
 * Writes schemas as TypeScript types. A schema equal to a named one is referred to by name, though
 * the document inlines it.
 */
export function createTypeWriter(named: Readonly<Record<string, Schema>>) {
  const names = new Map(Object.entries(named).map(([name, schema]) => [contentOf(schema), name]))
  return { type, shape }

  function type(schema: Schema): string {
    return names.get(contentOf(schema)) ?? shape(schema)
  }

  /** Writes the schema's own shape, although it has a name. */
  function shape(schema: Schema): string {
    if (schema.$ref) return schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)
    if (schema.const !== undefined) return JSON.stringify(schema.const)
    if (schema.enum) return union(schema.enum.map((value) => JSON.stringify(value)))
    if (schema.anyOf) return union(schema.anyOf.map(type))
    switch (schema.type) {
      case 'string':
        return isVisualName(schema) ? JSON.stringify(schema.title) : 'string'
      case 'integer':
      case 'number':
        return 'number'
      case 'boolean':
      case 'null':
        return schema.type
      case 'array':
        return `readonly (${schema.items ? type(schema.items) : 'unknown'})[]`
      case 'object':
        return object(schema)
      default:
        return 'unknown'
    }
  }

  function object(schema: Schema): string {
    const { properties = {}, required = [], additionalProperties, oneOf = [] } = schema
    const [pattern] = Object.values(schema.patternProperties ?? {})
    const values = typeof additionalProperties === 'object' ? additionalProperties : pattern
    if (values) return `Readonly<Record<string, ${type(values)}>>`
    if (Object.keys(properties).length === 0) return 'Readonly<Record<string, unknown>>'
    const alternatives = oneOf.flatMap((each) => each.required ?? [])
    const fields = Object.entries(properties).filter(([name]) => !alternatives.includes(name))
    const common = `{\n${fields.map((field) => member(field, required)).join('\n')}\n}`
    if (alternatives.length === 0) return common
    const cases = alternatives.map((chosen) => {
      const others = alternatives.filter((name) => name !== chosen)
      const present = `readonly ${chosen}: ${type(properties[chosen] ?? {})}`
      return `{ ${[present, ...others.map((name) => `readonly ${name}?: never`)].join('; ')} }`
    })
    return `${common} & (${union(cases)})`
  }

  function member([name, schema]: readonly [string, Schema], required: readonly string[]): string {
    const key = /^\w+$/.test(name) ? name : `'${name}'`
    return `${commented(schema)}readonly ${key}${required.includes(name) ? '' : '?'}: ${type(schema)}`
  }
}

/** Turns a schema's description into the comment of the declaration that follows. */
export function commented({ description }: Schema): string {
  if (description === undefined) return ''
  const lines = description.replaceAll('*/', '* /').split('\n')
  return lines.length === 1
    ? `/** ${lines[0]} */\n`
    : `/**\n${lines.map((line) => ` * ${line}\n`).join('')} */\n`
}

/** Returns the schema's content without its name. */
function contentOf({ title: _, ...content }: Schema): string {
  return JSON.stringify(content)
}

/**
 * True for a visual's `type`, which is read in any case and written in capitals: [Tt][Ee][Xx][Tt]
 * is TEXT.
 */
function isVisualName({ pattern = '', title = '' }: Schema): boolean {
  const letters = [...title].map((letter) => `[${letter}${letter.toLowerCase()}]`)
  return title !== '' && pattern === `^${letters.join('')}$`
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(' | ')
}
