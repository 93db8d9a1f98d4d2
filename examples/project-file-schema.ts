import { nameOf } from '../core/project/element-fields.ts'
import { mediaUrl, urlPattern } from '../core/project/schema/fields.ts'
import { requestJsonSchema } from '../core/project/schema/publish.ts'

/**
 * Returns the JSON Schema of a project in a file, for editors: the language of the API, plus two
 * additions of `farm render`: `$schema` itself, and media as paths relative to the file.
 */
export function projectFileSchema(): Record<string, unknown> {
  const schema = withPaths(requestJsonSchema('project')) as Record<string, unknown> & {
    $defs: Record<string, { properties: Record<string, unknown> }>
  }
  for (const name of ['VideoProject', 'ImageProject']) {
    const project = schema.$defs[name]
    if (!project) throw new Error(`The schema of the language must define ${name}. It does not`)
    project.properties.$schema = { type: 'string' }
  }
  return schema
}

const pathRule = 'a URL, or a path relative to this file'
/** The rule of an address as descriptions state it. */
const addressRule = new RegExp(nameOf(mediaUrl), 'i')

/** Copies a schema, and lets every media URL be a path, too. */
function withPaths(schema: unknown): unknown {
  if (typeof schema === 'string') return schema.replace(addressRule, pathRule)
  if (Array.isArray(schema)) return schema.map(withPaths)
  if (typeof schema !== 'object' || schema === null) return schema
  const { pattern, title: _, ...rest } = schema as Record<string, unknown>
  if (pattern === urlPattern) return { ...rest, title: pathRule }
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, withPaths(value)] as const),
  )
}
