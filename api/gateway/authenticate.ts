import type { FastifyRequest } from 'fastify'
import { profileAdmits } from '../../core/accounts/agent-profiles.ts'
import type { KeyScope } from '../../core/accounts/key-scopes.ts'
import { FarmError } from '../../core/errors.ts'
import { Batcher } from '../../runtime/batcher.ts'
import { hashKey } from '../../store/db/accounts/create-key.ts'
import { findKeys, type KeyHolder } from '../../store/db/accounts/find-key.ts'
import { findSession } from '../../store/db/sessions/find-session.ts'
import type { GatewayContext } from '../context.ts'
import { findAgentToken } from '../oauth/agent-tokens.ts'
import {
  customersCredential,
  expectRole,
  findOperatorCaller,
  noOperator,
} from '../operator/operator-caller.ts'
import type { CredentialKind } from './access.ts'
import type { Caller, Credential } from './caller.ts'
import { noAgent } from './no-agent.ts'
import { limitsOf } from './plan.ts'
import { StrangerRate } from './strangers.ts'

const keyShape = /^svc_[0-9a-fA-F]{64}$/
const bearerShape = /^Bearer ([\w.-]{1,2000})$/i
const keysAtOnce = 1_000
/** Suffix of a route for keys whose counterpart takes dashboard tokens. */
const keySuffix = '/api-key'
const credentialKinds = ['key', 'session'] as const satisfies readonly CredentialKind[]

/** Batches lookups: keys that arrive during a lookup share the next statement. */
type Keys = Batcher<Buffer, KeyHolder | undefined>

/**
 * Turns a credential into `request.account`, before any body is read, and sets `request.db` to that
 * account's view of the database; no other code does. A token of an operator becomes
 * `request.operator`, and nothing of an account. A missing, malformed, unknown, revoked or expired
 * credential always gets the same answer, but for tokens of agents. A valid one of the wrong kind
 * gets its own answer: its owner has chosen the wrong route, not lost a key.
 */
export function authenticate(context: GatewayContext): (request: FastifyRequest) => Promise<void> {
  const keys: Keys = new Batcher((hashes) => findKeys(context.db, hashes), { most: keysAtOnce })
  const strangers = new StrangerRate(context.strangersPerMinute)
  return async (request) => {
    const { credentials = [], scope, precheck, isGranted } = request.routeOptions.config
    precheck?.(request)
    const find = async (kinds: readonly CredentialKind[]) =>
      await findCaller({ ...context, keys }, { request, credentials: kinds })
    if (credentials.includes('operator')) {
      const token = bearerOf(request)
      const operator = token && (await findOperatorCaller(context, token))
      if (!operator) {
        if (await find(credentialKinds)) throw customersCredential()
        strangers.count(request)
        throw noOperator()
      }
      expectRole(operator, request)
      request.operator = operator
      return
    }
    const agent = request.innerOf?.caller
    if (credentials.length === 0) {
      // The endpoint has counted the call that this one belongs to.
      if (agent === undefined && !isGranted?.(request)) strangers.count(request)
      return
    }
    if (agent !== undefined) {
      admitInner(agent.credential, request)
      request.account = agent
      request.db = context.accountDatabases.of(agent.accountId)
      return
    }
    const caller = await find(credentials)
    if (caller === undefined) {
      // A host that gets a 403 does not sign in again, so that the endpoint for agents answers 401.
      const isForAgents = credentials.includes('agent')
      const others = credentialKinds.filter((kind) => !credentials.includes(kind))
      if (!isForAgents && (await find(others))) throw ofOtherKind(request)
      strangers.count(request)
      throw isForAgents ? await noAgent(context, request) : notKnown()
    }
    checkScope(caller.credential, scope)
    request.account = caller
    request.db = context.accountDatabases.of(caller.accountId)
  }
}

/** A key takes precedence over a token when both are given and the route takes both. */
async function findCaller(
  { db, mcpUrl, tokens, keyUsage, keys }: GatewayContext & { readonly keys: Keys },
  { request, credentials }: { request: FastifyRequest; credentials: readonly CredentialKind[] },
): Promise<Caller | undefined> {
  const { headers } = request
  const key = headers['x-api-key']
  if (key !== undefined && credentials.includes('key')) {
    if (typeof key !== 'string' || !keyShape.test(key)) return undefined
    const found = await keys.submit(hashKey(key))
    if (found === undefined) return undefined
    const { accountId, plan, isSuspended, ...rest } = found
    if (isSuspended) throw notActive('suspended')
    keyUsage.count(found.keyId)
    return { accountId, plan, limits: limitsOf(plan), credential: { kind: 'key', ...rest } }
  }
  const token = bearerOf(request)
  if (token === undefined) return undefined
  if (credentials.includes('agent')) return await findAgentToken({ db, mcpUrl }, token)
  if (!credentials.includes('session')) return undefined
  const sessionId = await tokens.read(token)
  const found = sessionId && (await findSession(db, sessionId))
  if (!found) return undefined
  const { accountId, plan, userId, isSuspended, isClosed } = found
  if (isSuspended) throw notActive(isClosed ? 'closed' : 'suspended')
  const credential: Credential = { kind: 'session', sessionId, userId }
  return { accountId, plan, limits: limitsOf(plan), credential }
}

function bearerOf({ headers }: FastifyRequest): string | undefined {
  return bearerShape.exec(headers.authorization ?? '')?.[1]
}

function notActive(how: 'suspended' | 'closed'): FarmError {
  const rule = 'The account must be active'
  return new FarmError('forbidden', `${rule}. Got one that the operators of the farm have ${how}`)
}

function notKnown(): FarmError {
  const rule =
    'A valid API key in the header x-api-key, or a dashboard token as Authorization: Bearer, must be given'
  return new FarmError('unauthorized', `${rule}. Got none, or one that is not valid`)
}

const names = {
  key: { one: 'an API key in the header x-api-key', many: 'API keys' },
  session: { one: 'a dashboard token as Authorization: Bearer', many: 'Dashboard tokens' },
} as const satisfies Record<(typeof credentialKinds)[number], object>

/** Explains that a valid credential is of the wrong kind, and names the route's counterpart. */
function ofOtherKind({ routeOptions, method, server }: FastifyRequest): FarmError {
  const { url = '', config } = routeOptions
  const taken = config.credentials?.[0] === 'session' ? 'session' : 'key'
  const given = taken === 'key' ? 'session' : 'key'
  const path = url.endsWith(keySuffix) ? url.slice(0, -keySuffix.length) : `${url}${keySuffix}`
  const hasOtherHeader = server.access.some(
    (route) => route.path === path && route.method === method && route.credentials.includes(given),
  )
  const rule = `This route takes ${names[taken].one}. Got ${names[given].one}`
  const hint = hasOtherHeader ? `; ${names[given].many} go to ${method} ${path}` : ''
  return new FarmError('forbidden', `${rule}${hint}`)
}

function checkScope(credential: Credential, scope: KeyScope | undefined): void {
  if (credential.kind !== 'key' || credential.scopes === null || scope === undefined) return
  if (credential.scopes.includes(scope)) return
  const seen = credential.scopes.join(', ') || 'none'
  throw new FarmError('forbidden', `The key's scopes must include ${scope}. Got ${seen}`)
}

/**
 * Admits a call that this process makes for an agent: what keys may call, as far as the profile of
 * its connection or the scopes of its key go.
 */
function admitInner(credential: Credential, request: FastifyRequest): void {
  const { method, routeOptions } = request
  const { credentials = [], scope } = routeOptions.config
  if (!credentials.includes('key')) throw ofOtherKind(request)
  checkScope(credential, scope)
  if (credential.kind !== 'agent') return
  if (profileAdmits(credential.profile, { method, scope })) return
  const rule = 'The profile of the connected agent must allow this; its user can change it'
  throw new FarmError('forbidden', `${rule}. Got ${credential.profile}`)
}
