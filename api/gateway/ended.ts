import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Server } from './typed-server.ts'

/**
 * Calls `ended` once for each request: when its answer is complete, or when its caller hung up before.
 * The framework's own hook tells nothing of the latter.
 */
export function onEnded(
  server: Server,
  ended: (request: FastifyRequest, reply: FastifyReply) => void,
): void {
  const told = new WeakSet<FastifyRequest>()
  const tell = (request: FastifyRequest, reply: FastifyReply) => {
    if (told.has(request)) return
    told.add(request)
    ended(request, reply)
  }
  server.addHook('onRequest', async (request, reply) => {
    reply.raw.once('close', () => {
      if (isAborted(reply)) tell(request, reply)
    })
  })
  server.addHook('onResponse', async (request, reply) => tell(request, reply))
}

/** Answers whether the caller hung up before the answer was complete. */
export function isAborted({ raw }: FastifyReply): boolean {
  return !raw.writableFinished
}
