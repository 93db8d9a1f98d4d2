import { Type } from 'typebox'
import { getBulk } from '../../store/db/bulks/get-bulk.ts'
import { listResultsOfBulk } from '../../store/db/bulks/list-results-of-bulk.ts'
import type { ApiContext } from '../context.ts'
import { Problem } from '../gateway/problem.ts'
import type { Server } from '../gateway/typed-server.ts'
import { BulkParams, bulkNotFound } from './bulk-id.ts'
import { ResultRow, resultsAsCsv, showResults } from './bulk-results-view.ts'

const Query = Type.Object({
  format: Type.Optional(Type.Enum(['json', 'csv'], { default: 'json' })),
})

const Results = Type.Object({ bulkId: Type.String(), results: Type.Array(ResultRow) })

/** GET /api/render/bulk/{id}/results: a row for each item in its present state; JSON or CSV. */
export function bulkResultsRoute(server: Server, context: ApiContext): void {
  const schema = {
    params: BulkParams,
    querystring: Query,
    tags: ['bulk'],
    response: {
      200: {
        content: {
          'application/json': { schema: Results },
          'text/csv': { schema: Type.String() },
        },
      },
      400: Problem,
      404: Problem,
    },
  }
  const config = { credentials: ['key', 'session'], scope: 'jobs' } as const
  server.get('/api/render/bulk/:id/results', { schema, config }, async (request, reply) => {
    const bulkId = request.params.id
    const { accountId } = request.account
    const bulk = await getBulk(request.db, { accountId, bulkId })
    if (!bulk) throw bulkNotFound(bulkId)
    const jobs = await listResultsOfBulk(request.db, { accountId, bulkId })
    const results = await showResults(context, { jobs, refused: bulk.refused })
    if (request.query.format !== 'csv') return reply.send({ bulkId, results })
    reply.type('text/csv; charset=utf-8')
    reply.header('content-disposition', `attachment; filename="${bulkId}.csv"`)
    return reply.send(resultsAsCsv(results))
  })
}
