import { Type } from 'typebox'
import { listBulks } from '../../store/db/statements/list-bulks.ts'
import { Bulk, showBulk } from '../bulk-view.ts'
import { Problem } from '../problem.ts'
import type { Server } from '../typed-server.ts'

const defaultPageSize = 20

const Query = Type.Object({
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1 })),
  pageSize: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: defaultPageSize })),
})

const Bulks = Type.Object({
  bulks: Type.Array(Bulk),
  page: Type.Integer(),
  pageSize: Type.Integer(),
  total: Type.Integer(),
})

/** GET /api/render/bulk: the account's bulks, newest first. */
export function bulksRoute(server: Server): void {
  const schema = {
    querystring: Query,
    tags: ['bulk'],
    response: { 200: Bulks, 400: Problem },
  }
  const config = { credentials: ['key', 'session'], scope: 'jobs' } as const
  server.get('/api/render/bulk', { schema, config }, async (request) => {
    const { page = 1, pageSize = defaultPageSize } = request.query
    const { bulks, total } = await listBulks(request.db, { ...request.account, page, pageSize })
    return { bulks: bulks.map(showBulk), page, pageSize, total }
  })
}
