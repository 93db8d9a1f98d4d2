import { RenderPayload } from './project.ts'
import { RenderRequest } from './request.ts'

/**
 * Returns the request language as JSON Schema, draft 2020-12, with its parts in `$defs`. `project`
 * is the `payload` alone. It states every rule of the request as sent; rules that need the
 * variables (order of times, plan limits) are left to the service.
 */
export function requestJsonSchema(target: 'project' | 'render-request'): Record<string, unknown> {
  const root = target === 'project' ? RenderPayload : RenderRequest
  const defs: Record<string, unknown> = {}
  const body = published(root, defs, root)
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

/**
 * Copies a schema, or any value with schemas in it. Each part with a name of its own (`$id`) moves
 * to `defs` and is referred to as `#/$defs/NAME`. Our own keywords are dropped.
 */
export function published(schema: unknown, defs: Record<string, unknown>, root?: unknown): unknown {
  if (Array.isArray(schema)) return schema.map((item) => published(item, defs))
  if (typeof schema !== 'object' || schema === null) return schema
  const { $id, ...rest } = schema as Record<string, unknown>
  if (typeof $id === 'string' && schema !== root) {
    defs[$id] ??= copied(rest, defs)
    return { $ref: `#/$defs/${$id}` }
  }
  return copied(rest, defs)
}

function copied(schema: Record<string, unknown>, defs: Record<string, unknown>) {
  const entries = Object.entries(schema)
    .filter(([key]) => !ours.has(key))
    .map(([key, value]) => [key, published(value, defs)] as const)
  return Object.fromEntries(entries)
}
