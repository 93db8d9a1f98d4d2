import { type Static, Type } from 'typebox'
import { type KeyScope, keyScopes } from '../../core/accounts/key-scopes.ts'
import { FarmError } from '../../core/errors.ts'
import { isWithinYears } from '../../runtime/times.ts'
import { createKeyWithinPlan } from '../../store/db/accounts/create-key-within-plan.ts'
import { listKeyDays } from '../../store/db/accounts/list-key-days.ts'
import { listKeys } from '../../store/db/accounts/list-keys.ts'
import { bodyReader } from '../gateway/body.ts'
import type { Caller, Credential } from '../gateway/caller.ts'
import { pageOf, pageView, wholeQuery } from '../gateway/paging.ts'
import { Problem, ProblemError } from '../gateway/problem.ts'
import { Timestamp } from '../gateway/times.ts'
import type { Server } from '../gateway/typed-server.ts'
import { ApiKey, showKey } from './key-view.ts'

const maxCredits = 1_000_000_000_000

export const KeyName = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: '^[^\\u0000-\\u001f\\u007f]*$',
  title: 'text without control characters',
})
const NewApiKey = Type.Object(
  {
    name: KeyName,
    scopes: Type.Optional(
      Type.Union([Type.Array(Type.Enum([...keyScopes])), Type.Null()], {
        title: 'an array of scopes, or null for all',
      }),
    ),
    expiresAt: Type.Optional(Type.Union([Timestamp, Type.Null()])),
    spendingCap: Type.Optional(
      Type.Union([Type.Integer({ minimum: 0, maximum: maxCredits }), Type.Null()]),
    ),
  },
  { additionalProperties: false },
)
const readNewKey = bodyReader(NewApiKey)

const ApiKeys = Type.Object({ apiKeys: Type.Array(ApiKey), ...pageView })
const Created = Type.Object({
  apiKey: ApiKey,
  key: Type.String({ description: 'Shown only in this response' }),
})

/** GET /api/api-keys: those not revoked, newest first. POST: a new one. */
export function apiKeysRoutes(server: Server): void {
  const config = { credentials: ['key', 'session'], scope: 'keys' } as const
  const tags = ['api keys']
  const listing = {
    tags,
    querystring: Type.Object({
      ...wholeQuery,
      usageDays: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 90, description: 'Adds the use of these last days' }),
      ),
    }),
    response: { 200: ApiKeys, 400: Problem },
  }
  server.get('/api/api-keys', { schema: listing, config }, async ({ db, account, query }) => {
    const { accountId } = account
    const { items, ...page } = pageOf(await listKeys(db, accountId), query)
    const keys = items.map(showKey)
    if (query.usageDays === undefined) return { apiKeys: keys, ...page }
    const asked = { accountId, keyIds: keys.map(({ id }) => id), days: query.usageDays }
    const usage = await listKeyDays(db, asked)
    return { apiKeys: keys.map((key) => ({ ...key, usage: usage.get(key.id) ?? [] })), ...page }
  })
  const making = { tags, response: { 201: Created, 400: Problem, 422: Problem } }
  const makingConfig = { ...config, body: NewApiKey, showsSecret: true }
  const options = { schema: making, config: makingConfig }
  server.post('/api/api-keys', options, async ({ db, account, body }, reply) => {
    const asked = readAsked(body)
    checkRights(account.credential, asked)
    const { accountId, limits } = account
    const made = await createKeyWithinPlan(db, { accountId, limit: limits.apiKeys, ...asked })
    if (!made) throw tooMany(account)
    const { key, ...rest } = made
    reply.code(201)
    return { apiKey: showKey(rest), key }
  })
}

type Asked = {
  readonly name: string
  readonly scopes?: readonly KeyScope[]
  readonly expiresAt?: Date
  readonly creditCap?: number
}

function readAsked(body: unknown): Asked {
  const { name, scopes, expiresAt, spendingCap }: Static<typeof NewApiKey> = readNewKey(body)
  return {
    name,
    ...(scopes && { scopes: [...new Set(scopes)] }),
    ...(typeof expiresAt === 'string' && { expiresAt: readExpiry(expiresAt) }),
    ...(typeof spendingCap === 'number' && { creditCap: spendingCap }),
  }
}

function readExpiry(text: string): Date {
  const time = new Date(text)
  if (isWithinYears(time) && time.getTime() > Date.now()) return time
  const message = `expiresAt must be a valid time in the future. Got ${text}`
  throw new FarmError('invalid_value', message, { field: 'expiresAt' })
}

/**
 * Refuses a new key with more rights, a longer life or a higher cap than the key that asks for it.
 */
function checkRights(credential: Credential, asked: Asked): void {
  if (credential.kind !== 'key') return
  const { scopes, expiresAt, creditCap } = credential
  if (creditCap !== null) {
    throw new FarmError(
      'forbidden',
      'A key with a spending cap must not create keys: they would not share the cap',
    )
  }
  if (scopes !== null && !asked.scopes?.every((scope) => scopes.includes(scope))) {
    const seen = asked.scopes?.join(', ') ?? 'all'
    const rule = `A key created by this key must have scopes out of ${scopes.join(', ')}`
    throw new FarmError('forbidden', `${rule}. Got ${seen}`, { field: 'scopes' })
  }
  if (expiresAt !== null && !(asked.expiresAt && asked.expiresAt <= expiresAt)) {
    const seen = asked.expiresAt?.toISOString() ?? 'never'
    const rule = `A key created by this key must expire by ${expiresAt.toISOString()}`
    throw new FarmError('forbidden', `${rule}. Got ${seen}`, { field: 'expiresAt' })
  }
}

function tooMany({ plan, limits }: Caller): FarmError {
  const rule = `An account on plan ${plan} must have at most ${limits.apiKeys} live API keys`
  const message = `${rule}. Got one more; revoke one first`
  return new ProblemError('plan_limit', message, { extra: { planLimits: { ...limits } } })
}
