import { commented, createTypeWriter, type Schema, type TypeWriter } from './schema-type.ts'

/** The part of OpenAPI 3.1 that the service's own document uses. */
export type OpenApi = {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

type Operation = {
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly required?: boolean
    readonly schema: Schema
  }[]
  readonly requestBody?: { readonly content: Content }
  readonly security?: readonly Readonly<Record<string, unknown>>[]
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}
type Content = Readonly<Record<string, { readonly schema: Schema }>>

const head = `/**
 * Made from the service's OpenAPI document by \`npm run client:types\`; not to be edited. What the
 * service sends and takes, and each of its routes.
 */
`

/**
 * Writes a module with a type for each named schema, and `Operations`: the routes that the
 * client calls and that return JSON, by method and path.
 */
export function typesOf({ components, paths }: OpenApi): string {
  const write = createTypeWriter(components.schemas)
  const named = inOrder(Object.entries(components.schemas)).map(
    ([name, schema]) =>
      `${commented(schema)}export type ${name} = ${placeholder[name] ?? write.shape(schema)}\n`,
  )
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => isCalled(path, operation) && replyOf(operation) !== undefined)
      .map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
  )
  const routes = inOrder(operations).map(
    ([route, operation]) => `  '${route}': ${operationType(operation, write)}\n`,
  )
  return [head, ...named, `export type Operations = {\n${routes.join('')}}\n`].join('\n')
}

/** The pattern fixes where the braces are; a template literal type can express that. */
const placeholder: Readonly<Record<string, string>> = {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of a template literal type
  Placeholder: '`${string}{{${string}}}${string}`',
}

function inOrder<T>(entries: readonly (readonly [string, T])[]): (readonly [string, T])[] {
  return entries.toSorted(([a], [b]) => (a < b ? -1 : 1))
}

/** Routes that take a key or a user's token, and open ones with one parameter at most. */
function isCalled(path: string, { security = [] }: Operation): boolean {
  if (security.length > 0) return true
  const parameters = path.match(/\{/g) ?? []
  return path.startsWith('/api/') && !path.endsWith('/api-key') && parameters.length <= 1
}

function operationType(operation: Operation, write: TypeWriter): string {
  const { parameters = [], requestBody } = operation
  const queries = parameters.filter((parameter) => parameter.in === 'query')
  const query = write.type({
    type: 'object',
    properties: Object.fromEntries(queries.map(({ name, schema }) => [name, orOne(schema)])),
    required: queries.filter(({ required }) => required).map(({ name }) => name),
  })
  const body = requestBody?.content['application/json']?.schema
  const members = [
    ...(queries.length > 0 ? [`readonly query?: ${query}`] : []),
    ...(body ? [`readonly body: ${write.type(body)}`] : []),
    `readonly reply: ${write.type(replyOf(operation) ?? {})}`,
  ]
  return `{\n${members.join('\n')}\n}`
}

/** A parameter with several values may have a single one. */
function orOne(schema: Schema): Schema {
  if (schema.type !== 'array' || !schema.items) return schema
  const { description, items } = schema
  return { ...(description !== undefined && { description }), anyOf: [items, schema] }
}

/** Returns the schema of the first 2xx response; undefined when that is not JSON. */
function replyOf({ responses }: Operation): Schema | undefined {
  const good = Object.keys(responses).find((status) => status.startsWith('2')) ?? ''
  return responses[good]?.content?.['application/json']?.schema
}
