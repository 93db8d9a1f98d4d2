import type { FastifyRequest } from 'fastify'

const longest = 300

/** Name that a browser or program gives itself; empty without one. */
export function userAgentOf({ headers }: Pick<FastifyRequest, 'headers'>): string {
  return (headers['user-agent'] ?? '').slice(0, longest)
}
