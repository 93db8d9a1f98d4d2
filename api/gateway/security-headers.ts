import cors from '@fastify/cors'
import helmet from '@fastify/helmet'
import type { Server } from './typed-server.ts'

/** Headers of answers that a page of another origin may read. */
const exposedHeaders = [
  'Idempotent-Replayed',
  'RateLimit-Limit',
  'RateLimit-Policy',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Retry-After',
  'WWW-Authenticate',
  'X-Request-Id',
]
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
const allowedHeaders = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'Last-Event-ID',
  'MCP-Protocol-Version',
  'Mcp-Method',
  'Mcp-Name',
  'X-Api-Key',
  'X-Request-Id',
]

/**
 * Policy of all answers but the reference page: none is a page, but a browser may show a film
 * itself.
 */
const noPage = {
  defaultSrc: ["'none'"],
  frameAncestors: ["'none'"],
  imgSrc: ["'self'"],
  mediaSrc: ["'self'"],
  styleSrc: ["'unsafe-inline'"],
}

/**
 * Policy of the reference page, which contains its script and styles and calls this service only.
 */
export const docsPolicy = {
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      ...noPage,
      scriptSrc: ["'self'", "'unsafe-inline'"],
      styleSrc: ["'self'", "'unsafe-inline'"],
      imgSrc: ["'self'", 'data:'],
      fontSrc: ["'self'", 'data:'],
      connectSrc: ["'self'"],
    },
  },
}

/**
 * Sets the headers for browsers. Pages of any origin may call. A header that the page must know
 * identifies the caller, so no page can use rights that it was not given. The one cookie refreshes a
 * session, and is accepted from this service's own pages (account/refresh-cookie.ts).
 */
export async function setSecurityHeaders(server: Server): Promise<void> {
  await server.register(helmet, {
    contentSecurityPolicy: { useDefaults: false, directives: noPage },
    crossOriginResourcePolicy: { policy: 'cross-origin' },
  })
  // Keys come in a header of our own, by which no cache would tell customers apart.
  server.addHook('onRequest', async (request, reply) => {
    if (request.url.startsWith('/api/')) reply.header('cache-control', 'no-store')
  })
  // Strict mode answers an OPTIONS that is no preflight with a plain 400, our only error without a
  // problem document.
  const lenient = { strictPreflight: false, maxAge: 600 }
  await server.register(cors, { origin: '*', methods, exposedHeaders, allowedHeaders, ...lenient })
}
