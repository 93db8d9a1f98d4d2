import type { FastifyRequest } from 'fastify'
import { FarmError } from '../../core/errors.ts'
import { maxBodyBytes } from '../../core/limits.ts'
import type { Server } from './typed-server.ts'

const usualTimeoutMs = 30_000

/** Accepts bodies of a media type that is JSON as well, on the routes of one plugin. */
export function acceptType(server: Server, type: string): void {
  server.addContentTypeParser(
    type,
    { parseAs: 'buffer', bodyLimit: maxBodyBytes },
    async (_request: FastifyRequest, body: Buffer) => body,
  )
}

/**
 * Accepts bodies that are JSON, complete, uncompressed and in time. A route gets the bytes and
 * reads them itself, because only the language's reader can say where a fault is. `bodyTimeoutMs`: time
 * for the whole body; the answer may take longer.
 */
export function acceptJsonOnly(
  server: Server,
  { bodyTimeoutMs = usualTimeoutMs }: { readonly bodyTimeoutMs?: number } = {},
): void {
  server.removeAllContentTypeParsers()
  acceptType(server, 'application/json')
  server.addHook('preParsing', async (request, reply, payload) => {
    const encoding = request.headers['content-encoding']
    if (encoding !== undefined && encoding !== 'identity') {
      throw new FarmError(
        'unsupported_media_type',
        `The body must not be compressed. Got content-encoding ${encoding.slice(0, 40)}`,
      )
    }
    const charset = /;\s*charset="?([^";\s]+)/i.exec(request.headers['content-type'] ?? '')?.[1]
    if (charset !== undefined && !/^(utf-8|utf8|us-ascii)$/i.test(charset)) {
      throw new FarmError(
        'unsupported_media_type',
        `The body must be in UTF-8. Got charset ${charset.slice(0, 40)}`,
      )
    }
    // Nobody reads a GET's body, so its 'end' never comes, while a stream of events goes on.
    const endIncomplete = () => request.raw.complete || request.raw.destroy()
    const timer = setTimeout(endIncomplete, bodyTimeoutMs)
    request.raw.once('close', () => clearTimeout(timer)).once('end', () => clearTimeout(timer))
    reply.raw.once('close', () => clearTimeout(timer))
    return payload
  })
}
