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
  'X-Request-Id',
]
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE']
const allowedHeaders = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'Last-Event-ID',
  'X-Api-Key',
  'X-Request-Id',
]

/** No answer is a page, save for the one that `docsPolicy` is for; a browser may show a film itself. */
const noPage = {
  defaultSrc: ["'none'"],
  frameAncestors: ["'none'"],
  imgSrc: ["'self'"],
  mediaSrc: ["'self'"],
  styleSrc: ["'unsafe-inline'"],
}

/** The reference page brings its script and styles within itself and asks this service only. */
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
 * What browsers are told. Pages of any origin may call: who calls is said by a header that the page
 * must know, never by a cookie, so no page can use a right that it was not given.
 */
export async function guardBrowsers(server: Server): Promise<void> {
  await server.register(helmet, {
    contentSecurityPolicy: { useDefaults: false, directives: noPage },
    crossOriginResourcePolicy: { policy: 'cross-origin' },
  })
  // Keys come in a header of our own, which a cache on the way does not know to tell customers apart by.
  server.addHook('onRequest', async (request, reply) => {
    if (request.url.startsWith('/api/')) reply.header('cache-control', 'no-store')
  })
  // Without it an OPTIONS that is no preflight gets a plain 400, the one error that is no problem document.
  const lenient = { strictPreflight: false, maxAge: 600 }
  await server.register(cors, { origin: '*', methods, exposedHeaders, allowedHeaders, ...lenient })
}
