import { Type } from 'typebox'
import { FarmError } from '../../core/errors.ts'
import { pageOf, pageView, wholeQuery } from '../gateway/paging.ts'
import { Problem } from '../gateway/problem.ts'
import type { Server } from '../gateway/typed-server.ts'
import {
  aspects,
  type Library,
  type LibraryItem,
  type LibraryKind,
  libraryKinds,
  searchItems,
} from './catalogue.ts'

const Slug = Type.String({ pattern: '^[a-z0-9-]{1,60}$', title: 'the slug of an item' })
const Kind = Type.Enum([...libraryKinds])
const ItemParams = Type.Object({ kind: Kind, slug: Slug })

/** Parameter that finds items by the shape of their canvas. */
export const AspectQuery = Type.Enum([...aspects], {
  description: 'Shape of the canvas: wider than high, higher than wide, or neither',
})

const Query = Type.Object({
  q: Type.Optional(
    Type.String({ maxLength: 200, description: 'Words that an item must all contain' }),
  ),
  aspect: Type.Optional(AspectQuery),
  offset: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'Items to skip' }),
  ),
  ...wholeQuery,
})

const Item = Type.Object(
  {
    id: Type.String({ description: 'Same as slug' }),
    slug: Type.String(),
    kind: Kind,
    name: Type.String({ description: 'Same as title' }),
    title: Type.String(),
    description: Type.String(),
    type: Type.Enum(['video', 'image', 'visual', 'settings']),
    category: Type.String(),
    premium: Type.Literal(false),
    width: Type.Integer(),
    height: Type.Integer(),
    thumbnail: Type.String({ format: 'uri' }),
    contentUrl: Type.String({ format: 'uri' }),
    meta: Type.Object({
      thumbnail: Type.String({ format: 'uri' }),
      width: Type.Integer(),
      height: Type.Integer(),
      category: Type.String(),
    }),
  },
  { $id: 'LibraryItem' },
)
const Items = Type.Object({
  kind: Kind,
  items: Type.Array(Item),
  offset: Type.Integer(),
  ...pageView,
})

const tags = ['authoring']
const config = { credentials: [] } as const
const problems = { 400: Problem, 404: Problem }
const dayS = 86_400

/**
 * GET /api/library/{kind}[/{slug}[/content]]: the farm's own examples, and parts of projects. Their
 * small pictures, the examples' media and the tables of their bulks are served beside.
 */
export function libraryRoutes(server: Server, library: () => Library): void {
  const Params = Type.Object({ kind: Kind })
  const listing = {
    tags,
    params: Params,
    querystring: Query,
    response: { 200: Items, 400: Problem },
  }
  server.get('/api/library/:kind', { schema: listing, config }, async ({ params, query }) => {
    const { kind } = params
    const { q, aspect, offset = 0, ...paging } = query
    const found = searchItems(library().items[kind], { q, aspect }).slice(offset)
    const { items, ...page } = pageOf(found, paging)
    const shown = items.map((item) => showLibraryItem(library(), item))
    return { kind, items: shown, offset, ...page, total: offset + page.total }
  })

  const about = { tags, params: ItemParams }
  const showing = { ...about, response: { 200: Item, ...problems } }
  server.get('/api/library/:kind/:slug', { schema: showing, config }, async ({ params }) =>
    showLibraryItem(library(), itemOf(library(), params)),
  )
  const Content = Type.Record(Type.String(), Type.Unknown(), {
    description: 'Project, visual or settings of a project',
  })
  const reading = { ...about, response: { 200: Content, ...problems } }
  server.get(
    '/api/library/:kind/:slug/content',
    { schema: reading, config },
    async ({ params }) => {
      return { ...itemOf(library(), params).content }
    },
  )

  const hidden = { ...about, hide: true }
  server.get(
    '/api/library/:kind/:slug/thumbnail',
    { schema: hidden, config },
    async (request, reply) => {
      const picture = library().thumbnail(itemOf(library(), request.params))
      if (!picture) throw new FarmError('not_found', 'The item must have a thumbnail. Got none')
      reply.type(picture.type).header('cache-control', `public, max-age=${dayS}`)
      return reply.send(picture.bytes)
    },
  )
  server.get(
    '/api/library/:kind/:slug/rows',
    { schema: hidden, config },
    async (request, reply) => {
      const rows = library().rows(itemOf(library(), request.params))
      if (rows === undefined) {
        throw new FarmError('not_found', 'The item must have a table of rows. Got none')
      }
      return reply.type('text/csv; charset=utf-8').send(rows)
    },
  )
  const FileParams = Type.Object({ '*': Type.String({ maxLength: 200 }) })
  const files = { params: FileParams, hide: true }
  server.get('/api/library/media/*', { schema: files, config }, async ({ params }, reply) => {
    const file = library().media(params['*'])
    if (!file) throw new FarmError('not_found', 'The path must be that of an example’s file')
    reply.type(file.type).header('cache-control', `public, max-age=${dayS}`)
    return reply.send(file.bytes)
  })
}

/** An item without its content. */
export function showLibraryItem(library: Library, item: LibraryItem) {
  const { content: _, ...rest } = item
  const { width, height, category } = rest
  const thumbnail = library.addressOf(item, 'thumbnail')
  return {
    ...{ id: rest.slug, name: rest.title, ...rest, premium: false as const, thumbnail },
    contentUrl: library.addressOf(item, 'content'),
    meta: { thumbnail, width, height, category },
  }
}

function itemOf(
  library: Library,
  { kind, slug }: { kind: LibraryKind; slug: string },
): LibraryItem {
  const item = library.items[kind].find((each) => each.slug === slug)
  if (item) return item
  throw new FarmError('not_found', `The library must have ${kind} with this slug. Got ${slug}`)
}
