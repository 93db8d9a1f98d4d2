import { Type } from 'typebox'
import { FarmError } from '../../core/errors.ts'
import type { ApiContext } from '../context.ts'
import { Problem } from '../gateway/problem.ts'
import type { Server } from '../gateway/typed-server.ts'
import { JobParams, jobNotFound, readJobId } from './job-id.ts'
import { reduceJpeg } from './reduce-jpeg.ts'

/** Larger answers are reduced. */
const mostBytes = 500_000
/** More than any thumbnail has: a customer's own may have 1920 px a side. */
const mostBytesRead = 4_000_000

const Query = Type.Object({
  maxBytes: Type.Optional(
    Type.Integer({
      ...{ minimum: 5_000, maximum: mostBytes },
      description: `Most bytes of the answer; a larger thumbnail is reduced. Absent: ${mostBytes}`,
    }),
  ),
})

/**
 * GET /api/jobs/{id}/thumbnail: the JPEG itself, for callers that cannot open the signed address,
 * such as agents and networks that reach this service alone.
 */
export function thumbnailRoute(server: Server, { jobReader, objects }: ApiContext): void {
  const schema = {
    params: JobParams,
    querystring: Query,
    tags: ['jobs'],
    response: {
      200: {
        description: 'The thumbnail',
        content: {
          'image/jpeg': { schema: Type.Unsafe<Buffer>({ contentMediaType: 'image/jpeg' }) },
        },
      },
      400: Problem,
      404: Problem,
    },
  }
  const config = { credentials: ['key', 'session'], scope: 'jobs' } as const
  server.get('/api/jobs/:id/thumbnail', { schema, config }, async (request, reply) => {
    const jobId = readJobId(request.params.id)
    const job = await jobReader.read({ accountId: request.account.accountId, jobId })
    if (!job) throw jobNotFound(jobId)
    const key = job.filesRemovedAt ? null : job.thumbnailKey
    const facts = key === null ? undefined : await objects.stat(key)
    if (key === null || !facts || facts.bytes > mostBytesRead) throw noThumbnail(job.state)
    reply.type('image/jpeg').header('cache-control', 'private, max-age=3600')
    const { maxBytes = mostBytes } = request.query
    const jpeg = await objects.read(key)
    return reply.send(facts.bytes > maxBytes ? await reduceJpeg(jpeg, maxBytes) : jpeg)
  })
}

function noThumbnail(state: string): FarmError {
  const rule = 'The job must be completed, and its files still kept'
  return new FarmError('not_found', `${rule}: only those have a thumbnail. It is ${state}`)
}
