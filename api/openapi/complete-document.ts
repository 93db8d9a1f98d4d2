import { type Described, describeOperation, type Examples } from './openapi-operation.ts'

type Additions = {
  readonly examplesOf?: (operation: string) => Examples
  readonly webhooks?: object
}

/**
 * Completes the document: swagger would repeat bodies and answers in full at every route, and lacks
 * some media types.
 */
export function withOperations<D extends object>(
  document: D,
  routes: ReadonlyMap<string, Described>,
  { examplesOf, webhooks }: Additions = {},
): D {
  const { components, paths = {} } = document as {
    components?: object
    paths?: Record<string, Record<string, object>>
  }
  const parts: Record<string, unknown> = {}
  const described = Object.entries(paths).map(([path, operations]) => [
    path,
    Object.fromEntries(
      Object.entries(operations).map(([method, operation]) => {
        const route = routes.get(`${method} ${path}`)
        const examples = examplesOf?.(`${method.toUpperCase()} ${path}`)
        return [method, { ...operation, ...(route && describeOperation(route, parts, examples)) }]
      }),
    ),
  ])
  const text = JSON.stringify({ paths: Object.fromEntries(described), parts })
  // The language's parts refer to each other by JSON Schema's paths.
  const whole = JSON.parse(text.replaceAll('"#/$defs/', '"#/components/schemas/'))
  return {
    ...document,
    components: { ...components, schemas: whole.parts },
    paths: whole.paths,
    ...(webhooks && { webhooks }),
  }
}
