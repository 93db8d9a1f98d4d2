import type { FastifySchemaCompiler } from 'fastify'
import { type TProperties, type TSchema, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Server } from './typed-server.ts'

/** Numbers as JSON writes them. */
const numberShape = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/**
 * Checks paths, queries and headers, whose values arrive as text. Only JSON's spellings of numbers
 * and flags are converted: TypeBox's own conversion takes `true` for 1.
 */
export const compileParameters: FastifySchemaCompiler<TSchema> = ({ schema }) => {
  const { properties = {} } = schema as { properties?: Readonly<Record<string, TSchema>> }
  const check = Compile(schema)
  return (sent: Readonly<Record<string, unknown>>) => {
    const value = Object.fromEntries(
      Object.entries(sent).map(([name, text]) => [name, read(text, properties[name])]),
    )
    return check.Check(value) ? { value } : { error: check.Errors(value) }
  }
}

/** Refuses query parameters that a route does not know: a misspelt one would be ignored. */
export function closeQueries(server: Server): void {
  server.addHook('onRoute', (route) => {
    const { properties = {} } = (route.schema?.querystring ?? {}) as { properties?: TProperties }
    const querystring = Type.Object(properties, { additionalProperties: false })
    route.schema = { ...route.schema, querystring }
  })
}

function read(text: unknown, schema: TSchema | undefined): unknown {
  const type: unknown = schema && 'type' in schema ? schema.type : undefined
  // Repeated, or separated by commas: `state=failed,cancelled`.
  if (type === 'array') return [text].flat().flatMap((each) => String(each).split(','))
  if (typeof text !== 'string') return text
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text
  const isNumber = (type === 'integer' || type === 'number') && numberShape.test(text)
  return isNumber ? Number(text) : text
}
