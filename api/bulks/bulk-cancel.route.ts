import { cancelBulk } from '../../store/db/bulks/cancel-bulk.ts'
import { getBulk } from '../../store/db/bulks/get-bulk.ts'
import type { ApiContext } from '../context.ts'
import { Problem } from '../gateway/problem.ts'
import type { Server } from '../gateway/typed-server.ts'
import { BulkParams, bulkNotFound } from './bulk-id.ts'
import { Bulk, showBulk } from './bulk-view.ts'

/**
 * POST /api/render/bulk/{id}/cancel: ends every open job of the bulk and answers its new state.
 * Painted frames are charged. Its workflow finds nothing left to do and ends.
 */
export function bulkCancelRoute(server: Server, { metrics }: ApiContext): void {
  const schema = {
    params: BulkParams,
    tags: ['bulk'],
    response: { 200: Bulk, 400: Problem, 404: Problem },
  }
  const config = { credentials: ['key', 'session'], scope: 'render' } as const
  server.post('/api/render/bulk/:id/cancel', { schema, config }, async (request) => {
    const bulkId = request.params.id
    const { accountId } = request.account
    const reason = 'asked by the customer'
    metrics.jobsCancelled(await cancelBulk(request.db, { accountId, bulkId, reason }))
    const bulk = await getBulk(request.db, { accountId, bulkId })
    if (!bulk) throw bulkNotFound(bulkId)
    return showBulk(bulk)
  })
}
