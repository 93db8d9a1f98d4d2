import type { FastifyRequest } from 'fastify'

/** True where the answer may be zipped; it must then say so, and `Vary: accept-encoding`. */
export function acceptsGzip({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  const codings = (headers['accept-encoding'] ?? '').toString().toLowerCase().split(',')
  return codings.some(
    (coding) => /^\s*gzip\s*(;|$)/.test(coding) && !/;\s*q=0(\.0*)?\s*$/.test(coding),
  )
}
