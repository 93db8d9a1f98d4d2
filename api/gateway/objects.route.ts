import type { FastifyInstance } from 'fastify'
import type { ApiContext } from '../context.ts'

type Method = 'GET' | 'HEAD' | 'PUT'

/** /objects/*: the file server of a directory store, which checks its own signed URLs. */
export function objectsRoute(
  server: FastifyInstance,
  { context: { fileServer }, methods }: { context: ApiContext; methods: Method[] },
): void {
  if (!fileServer) return
  server.removeAllContentTypeParsers()
  // The file server reads the request's stream itself.
  server.addContentTypeParser('*', (_request, _payload, done) => done(null))
  server.route({
    method: methods,
    url: '/objects/*',
    schema: { hide: true },
    config: { credentials: [] },
    handler: async (request, reply) => {
      reply.hijack()
      await fileServer(request.raw, reply.raw)
    },
  })
}
