import { Type } from 'typebox'
import { getJob } from '../../store/db/jobs/get-job.ts'
import { Problem } from '../gateway/problem.ts'
import type { Server } from '../gateway/typed-server.ts'
import { JobParams, jobNotFound, readJobId } from './job-id.ts'
import { asSent, readRequestOf } from './sent-request.ts'

const JsonObject = Type.Record(Type.String(), Type.Unknown())

const Sent = Type.Object(
  {
    payload: Type.Optional(JsonObject),
    template: Type.Optional(Type.String()),
    variables: Type.Optional(JsonObject),
    overrides: Type.Optional(JsonObject),
    webhookUrl: Type.Optional(Type.String()),
  },
  { $id: 'SentRequest' },
)

const Query = Type.Object({
  expand: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'The payload that its template had at submission, which may have changed since, in place of the template',
    }),
  ),
})

/** GET /api/jobs/{id}/request: the request as it was sent, without the job's id: it can be sent again. */
export function requestRoute(server: Server): void {
  const schema = {
    params: JobParams,
    querystring: Query,
    tags: ['jobs'],
    response: { 200: Sent, 400: Problem, 404: Problem },
  }
  const config = { credentials: ['key', 'session'], scope: 'jobs' } as const
  server.get('/api/jobs/:id/request', { schema, config }, async (request) => {
    const jobId = readJobId(request.params.id)
    const { accountId } = request.account
    const job = await getJob(request.db, { accountId, jobId })
    const stored = job && (await readRequestOf(request.db, { accountId, jobId }))
    if (!stored) throw jobNotFound(jobId)
    const { templateId } = job
    const shown = request.query.expand ? stored : asSent(stored, templateId)
    return { ...shown }
  })
}
