import { Type } from 'typebox'
import { Problem } from '../gateway/problem.ts'
import type { Server } from '../gateway/typed-server.ts'

const kinds = ['image', 'video', 'gif', 'audio'] as const

const Providers = Type.Object({
  providers: Type.Array(Type.String(), { description: 'Always empty' }),
  items: Type.Array(Type.String()),
  total: Type.Integer(),
})
const Query = Type.Object({
  type: Type.Optional(Type.Enum([...kinds], { default: 'image' })),
  provider: Type.Optional(Type.String({ maxLength: 40, default: 'all' })),
  query: Type.Optional(Type.String({ maxLength: 200 })),
  q: Type.Optional(Type.String({ maxLength: 200, description: 'Same as query' })),
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1 })),
  perPage: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'Same as perPage' })),
})
const Found = Type.Object({
  items: Type.Array(Type.Record(Type.String(), Type.Unknown())),
  providers: Type.Array(Type.String()),
  page: Type.Integer(),
  perPage: Type.Integer(),
  limit: Type.Integer(),
  total: Type.Integer(),
})

/**
 * GET /api/stock/providers and /api/stock/search: a farm has no provider of stock media, so both
 * are empty. A program that looks there first goes on with media of its own.
 */
export function stockRoutes(server: Server): void {
  const tags = ['authoring']
  const config = { credentials: [] } as const
  const listing = { tags, response: { 200: Providers } }
  server.get('/api/stock/providers', { schema: listing, config }, async () => {
    return { providers: [], items: [], total: 0 }
  })
  const schema = { tags, querystring: Query, response: { 200: Found, 400: Problem } }
  server.get('/api/stock/search', { schema, config }, async ({ query }) => {
    const { page = 1, perPage, limit } = query
    const size = perPage ?? limit ?? 20
    return { items: [], providers: [], page, perPage: size, limit: size, total: 0 }
  })
}
