import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { FarmError } from '../../core/errors.ts'
import type { GatewayContext } from '../context.ts'
import { grantedRequests } from '../gateway/grants.ts'
import { Problem, problemOf } from '../gateway/problem.ts'
import type { Server } from '../gateway/typed-server.ts'
import { checkGrant } from './check-grant.ts'
import { NotYet } from './film-faults.ts'
import type { PlayerFile } from './playback.ts'

const Params = Type.Object({
  jobId: Type.String(),
  grant: Type.String({ description: 'Permission from the job’s `playlistUrl`' }),
  file: Type.String({ description: '`film.m3u8`, or a file that a playlist names' }),
})

const playlistType = 'application/vnd.apple.mpegurl'

/** GET /play/{jobId}/{grant}/{file}: a film as HTTP Live Streaming, while it renders and after. */
export function playRoute(server: Server, context: GatewayContext): void {
  const schema = {
    params: Params,
    tags: ['jobs'],
    response: {
      200: {
        description: 'A playlist, or a part of the film',
        content: {
          [playlistType]: { schema: Type.String() },
          'video/mp4': { schema: Type.Unsafe<Buffer>({ contentMediaType: 'video/mp4' }) },
        },
      },
      400: Problem,
      403: Problem,
      404: Problem,
      409: Problem,
      503: Problem,
    },
  }
  const isGranted = grantedRequests({ kind: 'play', of: 'jobId' }, context.playLinks)
  const config = { credentials: [], isGranted }
  server.get('/play/:jobId/:grant/:file', { schema, config }, async (request, reply) => {
    const { jobId, grant, file } = request.params
    checkGrant(context.playLinks, { jobId, grant })
    const gone = new AbortController()
    reply.raw.once('close', () => gone.abort())
    const asked = readFileName(file)
    try {
      const body = await context.playback.give(asked, { jobId, signal: gone.signal })
      reply.header('cache-control', 'private, max-age=3600')
      return send(reply, body)
    } catch (error) {
      // The player has sought elsewhere or gone: nobody hears an answer, and nothing has failed.
      if (gone.signal.aborted && error === gone.signal.reason) return reply.hijack()
      if (!(error instanceof NotYet)) throw error
      // Sent here: the log must not call it a failure of the farm.
      reply.header('retry-after', error.retryAfterSeconds).header('cache-control', 'no-store')
      // A connection that stays open would keep the process.
      if (context.playback.isStopped) reply.header('connection', 'close')
      reply.code(503).type('application/problem+json')
      return reply.send({ ...problemOf(error), requestId: request.id })
    }
  })
}

function send(reply: FastifyReply, body: string | Buffer) {
  return reply.type(typeof body === 'string' ? playlistType : 'video/mp4').send(body)
}

const names =
  /^(?:(?<film>film)\.m3u8|(?<track>pictures|sound)(?:\.m3u8|-init\.mp4|-(?<number>\d{1,6})\.m4s))$/

/** @throws FarmError not_found */
function readFileName(file: string): PlayerFile {
  const { film, track, number } = names.exec(file)?.groups ?? {}
  if (film !== undefined) return { kind: 'film' }
  if (track !== 'pictures' && track !== 'sound') {
    const rule = 'The file must be film.m3u8 or one that a playlist names'
    throw new FarmError('not_found', `${rule}. Got ${JSON.stringify(file.slice(0, 100))}.`)
  }
  if (number !== undefined) return { kind: 'piece', track, number: Number(number) }
  return { kind: file.endsWith('.m3u8') ? 'playlist' : 'init', track }
}
