import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Server } from './typed-server.ts'

const header = 'x-request-id'
/** Ids as proxies and tracers make them; nothing that could break a log line or a header. */
const sane = /^[\w.:+/=-]{1,128}$/

/** Returns the caller's own id where it is sane, else a new one. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers[header]
  return typeof given === 'string' && sane.test(given) ? given : randomUUID()
}

/** Answers every request with its id, which error bodies and the access log name as well. */
export function answerRequestIds(server: Server): void {
  server.addHook('onRequest', async (request, reply) => {
    reply.header(header, request.id)
    // The file server of the directory store writes its answers itself.
    if (!reply.raw.headersSent) reply.raw.setHeader(header, request.id)
  })
}
