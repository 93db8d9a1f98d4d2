import type { FastifyRequest } from 'fastify'
import type { KeyScope } from '../../core/accounts/key-scopes.ts'
import type { OperatorRole } from '../../core/operators/roles.ts'
import type { Server } from './typed-server.ts'

/**
 * `key`: an API key in `x-api-key`. `session`: a dashboard token as `Authorization: Bearer`. `agent`:
 * an access token of a connected agent, in the same header. `operator`: an operator's token, there too.
 */
export type CredentialKind = 'key' | 'session' | 'agent' | 'operator'

/** Callers that a route admits; each route states it as its `config`. */
export type Access = {
  /** Empty: anyone may call it. */
  readonly credentials: readonly CredentialKind[]
  /** Value of `WWW-Authenticate` beside a 401; absent: `Bearer`. */
  readonly challenge?: string
  /** Refuses a request by its head, before any credential is looked up. */
  readonly precheck?: (request: FastifyRequest) => void
  /** True: the request's address is signed for what it asks for, so its caller is no stranger. */
  readonly isGranted?: (request: FastifyRequest) => boolean
  /** Scope that a key needs. Signed-in users may do everything. */
  readonly scope?: KeyScope
  /** Least role that an operator needs. */
  readonly role?: OperatorRole
}

export type RouteAccess = Access & { readonly method: string; readonly path: string }

declare module 'fastify' {
  interface FastifyContextConfig extends Partial<Access> {}
  interface FastifyInstance {
    /** Every route with its access; complete once the server is ready. */
    readonly access: readonly RouteAccess[]
  }
}

/** Fills `server.access`. A route without an access rule keeps the server from starting. */
export function collectAccess(server: Server): void {
  const access: RouteAccess[] = []
  const checks: (() => void)[] = []
  server.decorate('access', access)
  server.addHook('onRoute', (route) => {
    checks.push(() => {
      const isPreflight = route.method === 'OPTIONS' && route.url === '*'
      const { credentials, scope, role }: Partial<Access> = isPreflight
        ? { credentials: [] }
        : (route.config ?? {})
      if (!credentials || (credentials.includes('key') && !scope)) {
        const rule = 'A route must name its credentials, and a scope when a key is one of them'
        throw new Error(`${rule}. Got ${route.method} ${route.url}`)
      }
      if (credentials.includes('operator') && !role) {
        const rule = 'A route for operators must name the least role'
        throw new Error(`${rule}. Got ${route.method} ${route.url}`)
      }
      const needs = { credentials, ...(scope && { scope }), ...(role && { role }) }
      for (const method of [route.method].flat()) {
        access.push({ method, path: route.url, ...needs })
      }
    })
  })
  server.addHook('onReady', async () => {
    for (const check of checks) check()
  })
}

/** Lets anyone call the routes that a plugin adds. */
export function openToAnyone(server: Server): void {
  server.addHook('onRoute', (route) => {
    route.config = { ...route.config, credentials: [] }
  })
}

/** Methods that a path is answered to; none: there is no such path. */
export function methodsOf(access: readonly RouteAccess[], path: string): readonly string[] {
  const parts = path.split('/')
  const fits = (route: string) => {
    const wanted = route.split('/')
    return (
      wanted.length === parts.length &&
      wanted.every((part, i) => (part.startsWith(':') ? parts[i] !== '' : part === parts[i]))
    )
  }
  const spelledOut = access.filter((route) => route.path === path)
  const routes = spelledOut.length > 0 ? spelledOut : access.filter((route) => fits(route.path))
  return [...new Set(routes.map(({ method }) => method))]
}
