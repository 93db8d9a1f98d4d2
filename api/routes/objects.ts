import type { FastifyInstance } from 'fastify'
import type { ApiContext } from '../context.ts'

/** /objects/*: the door of a directory store, which checks its own signed URLs. */
export function objectsRoute(server: FastifyInstance, { objectDoor }: ApiContext): void {
  if (!objectDoor) return
  server.removeAllContentTypeParsers()
  // The door reads the request's stream itself.
  server.addContentTypeParser('*', (_request, _payload, done) => done(null))
  server.route({
    method: ['GET', 'HEAD', 'PUT'],
    url: '/objects/*',
    schema: { hide: true },
    config: { credentials: [] },
    handler: async (request, reply) => {
      reply.hijack()
      await objectDoor(request.raw, reply.raw)
    },
  })
}
