import { Type } from 'typebox'
import { listBulks } from '../../store/db/bulks/list-bulks.ts'
import { pageQuery, pageView, readPage, showPage } from '../gateway/paging.ts'
import { Problem } from '../gateway/problem.ts'
import type { Server } from '../gateway/typed-server.ts'
import { Bulk, showBulk } from './bulk-view.ts'

const Query = Type.Object(pageQuery)

const Bulks = Type.Object({
  bulks: Type.Array(Bulk),
  ...pageView,
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
    const page = readPage(request.query)
    const { bulks, total } = await listBulks(request.db, { ...request.account, ...page })
    return { bulks: bulks.map(showBulk), ...showPage(page, total) }
  })
}
