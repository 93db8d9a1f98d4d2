import { Type } from 'typebox'
import { FarmError } from '../../core/errors.ts'
import { starters } from '../../core/library/starters.ts'
import { type Element, elements, parts } from '../../core/project/elements.ts'
import { Problem } from '../gateway/problem.ts'
import type { Server } from '../gateway/typed-server.ts'

const Field = Type.Object({
  name: Type.String(),
  required: Type.Boolean(),
  rule: Type.String({ description: 'Rule in words, as in error messages' }),
  placeholder: Type.Boolean({
    description: 'True when the field accepts {{ name }} instead of a value',
  }),
  parts: Type.Array(Type.String(), {
    description: 'Types of the elements and parts that describe the value',
  }),
})
const ElementView = Type.Object(
  {
    id: Type.String(),
    type: Type.String(),
    name: Type.String(),
    summary: Type.String(),
    place: Type.String({ description: 'Location in a project' }),
    requiredFields: Type.Array(Type.String()),
    fields: Type.Array(Field),
    notes: Type.Array(Type.String(), { description: 'Rules that concern several fields' }),
    example: Type.Record(Type.String(), Type.Unknown()),
  },
  { $id: 'Element' },
)
const Elements = Type.Object({
  elements: Type.Array(ElementView),
  total: Type.Integer({ description: 'Number of elements, without the parts' }),
  parts: Type.Array(ElementView, {
    description: 'Lists filters, captions, the project and the other parts that elements belong to',
  }),
  notes: Type.Array(Type.String()),
})
const OneElement = Type.Object({ element: ElementView })

const Example = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    title: Type.String(),
    description: Type.String(),
    request: Type.Record(Type.String(), Type.Unknown(), { description: 'Request body to submit' }),
    payload: Type.Record(Type.String(), Type.Unknown(), { description: 'Project of the request' }),
  },
  { $id: 'Example' },
)
const Examples = Type.Object({ examples: Type.Array(Example), total: Type.Integer() })
const OneExample = Type.Object({ example: Example })

const notes = [
  'Put visuals in `visuals` of the project or of a scene; their `type` ignores case.',
  'An image project takes IMAGE, TEXT and SVG visuals, and no times.',
  'Later visuals and visuals with a higher `track` cover the others.',
]

const tags = ['authoring']
const config = { credentials: [] } as const
/** Paths with and without the suffix of routes for keys: both are open to anyone. */
const ends = ['/api-key', '']

/**
 * GET /api/render/elements[/{type}], also with /api-key: descriptions of the language's elements,
 * and of the parts that they consist of.
 */
export function elementRoutes(server: Server): void {
  const all = {
    ...{ elements: elements.map(showElement), total: elements.length },
    ...{ parts: parts.map(showElement), notes: [...notes] },
  }
  const each = [...all.elements, ...all.parts]
  const known = each.map(({ type }) => type).join(', ')
  const Params = Type.Object({ type: Type.String({ pattern: '^[A-Za-z_]{1,20}$' }) })
  for (const end of ends) {
    const listing = { tags, response: { 200: Elements } }
    server.get(`/api/render/elements${end}`, { schema: listing, config }, async () => all)
    const schema = {
      tags,
      params: Params,
      response: { 200: OneElement, 400: Problem, 404: Problem },
    }
    server.get(`/api/render/elements/:type${end}`, { schema, config }, async ({ params }) => {
      const element = each.find(({ type }) => type === params.type.toUpperCase())
      if (element) return { element }
      throw new FarmError('not_found', `The type must be one of ${known}. Got ${params.type}`)
    })
  }
}

/**
 * GET /api/render/examples[/{name}], also with /api-key: small requests to begin with. Clients ask
 * for one by `?name=` as well.
 */
export function exampleRoutes(server: Server): void {
  const examples = starters.map(({ request, ...rest }) => ({
    ...{ id: rest.name, ...rest, request: { ...request }, payload: { ...request.payload } },
  }))
  const known = examples.map(({ name }) => name).join(', ')
  const name = Type.String({ pattern: '^[a-z-]{1,40}$' })
  const Params = Type.Object({ name })
  const Query = Type.Object({ name: Type.Optional(name) })
  const exampleOf = (wanted: string) => {
    const example = examples.find(({ name }) => name === wanted)
    if (example) return { example }
    throw new FarmError('not_found', `The name must be one of ${known}. Got ${wanted}`)
  }
  for (const end of ends) {
    const response = { 200: Type.Union([Examples, OneExample]), 400: Problem, 404: Problem }
    const listing = { tags, querystring: Query, response }
    server.get(`/api/render/examples${end}`, { schema: listing, config }, async ({ query }) => {
      const { name } = query
      return name === undefined ? { examples, total: examples.length } : exampleOf(name)
    })
    const schema = {
      tags,
      params: Params,
      response: { 200: OneExample, 400: Problem, 404: Problem },
    }
    server.get(`/api/render/examples/:name${end}`, { schema, config }, async ({ params }) => {
      return exampleOf(params.name)
    })
  }
}

function showElement({ type, fields, notes, example, ...rest }: Element) {
  return {
    ...{ id: type, type, name: type, ...rest, notes: [...notes] },
    requiredFields: fields.filter(({ required }) => required).map(({ name }) => name),
    fields: fields.map((field) => ({ ...field, parts: [...field.parts] })),
    example: { ...example },
  }
}
