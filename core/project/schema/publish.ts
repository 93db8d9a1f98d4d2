import { offeredStyles, wordsOf } from '../schema-words.ts'
import { Style } from './parts.ts'
import { RenderPayload } from './project.ts'
import { RenderRequest } from './request.ts'

/**
 * Returns the request language as JSON Schema, draft 2020-12, with its parts in `$defs`. `project`
 * is the `payload` alone. It states every rule of the request as sent; rules that need the
 * variables (order of times, plan limits) are left to the service. Each field has a description, and
 * values to offer where there are some, for editors.
 */
export function requestJsonSchema(target: 'project' | 'render-request'): Record<string, unknown> {
  const root = target === 'project' ? RenderPayload : RenderRequest
  const defs: Record<string, unknown> = {}
  const body = published(root, defs, { root, isDescribed: true })
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    ...(body as Record<string, unknown>),
    $defs: defs,
  }
}

/**
 * Keywords of our own checker. OpenAPI has a `discriminator`, too, but needs exact names there, and
 * visual types ignore case.
 */
const ours: ReadonlySet<string> = new Set(['discriminator', 'urlOf'])

type Publishing = {
  /** Schema that is no definition, though it has a name. */
  readonly root?: unknown
  readonly isDescribed?: boolean
}

/**
 * Copies a schema, or any value with schemas in it. Each part with a name of its own (`$id`) moves
 * to `defs` and is referred to as `#/$defs/NAME`. Our own keywords are dropped.
 */
export function published(
  schema: unknown,
  defs: Record<string, unknown>,
  { root, isDescribed = false }: Publishing = {},
): unknown {
  if (Array.isArray(schema)) return schema.map((item) => published(item, defs, { isDescribed }))
  if (typeof schema !== 'object' || schema === null) return schema
  const { $id, ...rest } = schema as Record<string, unknown>
  if (typeof $id === 'string' && schema !== root) {
    defs[$id] ??= copied(schema, rest, defs, isDescribed)
    return { $ref: `#/$defs/${$id}` }
  }
  return copied(schema, rest, defs, isDescribed)
}

function copied(
  source: object,
  schema: Record<string, unknown>,
  defs: Record<string, unknown>,
  isDescribed: boolean,
): Record<string, unknown> {
  const entries = Object.entries(schema)
    .filter(([key]) => !ours.has(key))
    .map(([key, value]) => {
      const isFields = key === 'properties' && isDescribed
      const copy = isFields
        ? describedFields(source, value as Fields, defs)
        : published(value, defs, { isDescribed })
      return [key, copy] as const
    })
  const styles = isDescribed && source === Style ? stylesOf(schema, defs) : undefined
  return { ...Object.fromEntries(entries), ...styles }
}

type Fields = Readonly<Record<string, object>>

function describedFields(owner: object, fields: Fields, defs: Record<string, unknown>) {
  return Object.fromEntries(
    Object.entries(fields).map(([key, field]) => {
      const copy = published(field, defs, { isDescribed: true }) as object
      return [key, { ...copy, ...wordsOf(owner, key, field) }] as const
    }),
  )
}

/** A style takes any property; those listed have the same rule, and words beside it. */
function stylesOf(
  { additionalProperties }: Record<string, unknown>,
  defs: Record<string, unknown>,
) {
  const properties = Object.entries(offeredStyles).map(([name, words]) => [
    name,
    { ...(published(additionalProperties, defs) as object), ...words },
  ])
  return { properties: Object.fromEntries(properties) }
}
