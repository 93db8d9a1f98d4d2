import type { FastifyReply, FastifyRequest } from 'fastify'
import { FarmError } from '../../core/errors.ts'
import { operatorSessionHours } from '../../store/db/operators/start-operator-session.ts'
import type { SessionKind } from '../../store/db/sessions/refresh-session.ts'
import { sessionDays } from '../../store/db/sessions/start-session.ts'

/** The cookies of both kinds have names and paths of their own: one browser may hold both. */
const kinds = {
  user: { path: '/api/auth', start: 'farm_refresh', seconds: sessionDays * 24 * 3600 },
  operator: {
    path: '/api/operator/auth',
    start: 'farm_operator_refresh',
    seconds: operatorSessionHours * 3600,
  },
} as const satisfies Record<SessionKind, object>

/** Keeps the refresh token in a cookie that no script reads, and that only these routes get. */
export type RefreshCookie = {
  readonly name: string
  set(reply: FastifyReply, token: string): void
  clear(reply: FastifyReply): void
  /** Undefined: the request has none. */
  read(request: FastifyRequest): string | undefined
  /** @throws FarmError when a page of another origin may have sent it */
  expectOwnPage(request: FastifyRequest): void
}

/**
 * All ports of a host share their cookies, so without TLS the port is in the name: two farms on one
 * machine keep their sign-ins apart.
 */
export function createRefreshCookie(publicUrl: string, of: SessionKind = 'user'): RefreshCookie {
  const { path, start, seconds: life } = kinds[of]
  const { protocol, port, origin } = new URL(publicUrl)
  const isSecure = protocol === 'https:'
  const name = isSecure ? `__Secure-${start}` : `${start}_${port || '80'}`
  const rules = `Path=${path}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
  const write = (reply: FastifyReply, value: string, seconds: number) =>
    reply.header('set-cookie', `${name}=${value}; Max-Age=${seconds}; ${rules}`)
  return {
    name,
    set: (reply, token) => write(reply, token, life),
    clear: (reply) => write(reply, '', 0),
    read({ headers }) {
      const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim())
      return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) || undefined
    },
    expectOwnPage({ headers }) {
      const site = headers['sec-fetch-site']
      if (site === 'same-origin' || headers.origin === origin) return
      const rule = `A refresh by cookie must come from a page of ${origin}`
      const seen = headers.origin ?? 'a request that names no origin'
      throw new FarmError('forbidden', `${rule}. Got ${String(seen).slice(0, 200)}`)
    },
  }
}
