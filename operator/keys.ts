import { Type } from 'typebox'
import { keyScopes } from '../core/accounts/key-scopes.ts'
import { FarmError } from '../core/errors.ts'
import { revokeKey } from '../store/db/accounts/change-key.ts'
import { createKey } from '../store/db/accounts/create-key.ts'
import { findKeysByPrefix } from '../store/db/accounts/find-keys-by-prefix.ts'
import { listKeys } from '../store/db/accounts/list-keys.ts'
import { act } from './act.ts'
import { requireAccount } from './find.ts'
import { change, read } from './operation.ts'
import { IdOrName, Moment, Name, Nullable, Time, Uuid } from './schemas.ts'

const Key = Type.Object({
  id: Type.String({ format: 'uuid' }),
  name: Type.String(),
  prefix: Type.String({ description: 'Its first characters; the rest is nowhere' }),
  scopes: Nullable(Type.Array(Type.String())),
  expiresAt: Nullable(Time),
  creditCap: Nullable(Type.Integer()),
  creditsSpent: Type.Integer(),
  createdAt: Time,
  lastUsedAt: Nullable(Time),
})

export const listKeysOperation = read({
  ...{ id: 'operatorListKeys', path: '/accounts/:account/keys', role: 'viewer' },
  summary: 'List the keys of an account that are not revoked',
  params: Type.Object({ account: IdOrName }),
  answer: Type.Object({ keys: Type.Array(Key) }),
  async run({ db }, { account }) {
    const { id } = await requireAccount(db, account)
    return { keys: await listKeys(db, id) }
  },
})

const shownLength = 12

export const findKeysOperation = read({
  ...{ id: 'operatorFindKeys', path: '/keys', role: 'viewer' },
  summary: 'Find the account of a key, live or revoked, by its first characters',
  query: Type.Object({
    start: Type.String({
      pattern: '^svc_[0-9a-f]{1,64}$',
      title: 'svc_ and the first hex digits of a key',
      description: 'Only the first 12 characters count; send no whole key',
    }),
  }),
  answer: Type.Object({
    keys: Type.Array(
      Type.Object({
        id: Type.String({ format: 'uuid' }),
        prefix: Type.String(),
        name: Type.String(),
        accountId: Type.String({ format: 'uuid' }),
        account: Type.String(),
        createdAt: Time,
        lastUsedAt: Nullable(Time),
        expiresAt: Nullable(Time),
        revokedAt: Nullable(Time),
      }),
    ),
  }),
  run: async ({ db }, { start }) => ({
    keys: await findKeysByPrefix(db, start.slice(0, shownLength)),
  }),
})

const mostCredits = 1_000_000_000_000

export const createKeyOperation = change({
  ...{ id: 'operatorCreateKey', path: '/accounts/:account/keys', role: 'admin' },
  summary: 'Create an API key; the answer shows it once',
  params: Type.Object({ account: IdOrName }),
  body: Type.Object({
    name: Name,
    scopes: Type.Optional(
      Type.Array(Type.Enum([...keyScopes]), { minItems: 1, description: 'All if absent' }),
    ),
    expiresAt: Type.Optional({ ...Moment, description: 'Never if absent' }),
    creditCap: Type.Optional(
      Type.Integer({
        ...{ minimum: 1, maximum: mostCredits },
        description: 'Credits that jobs of the key may cost in all; no limit if absent',
      }),
    ),
  }),
  answer: Type.Object({
    ...Key.properties,
    key: Type.String({ description: 'Shown only in this answer' }),
  }),
  async run({ db }, { account, name, scopes, expiresAt, creditCap, why }, actor) {
    const limits = {
      ...(scopes && { scopes: [...new Set(scopes)] }),
      ...(expiresAt !== undefined && { expiresAt: timeToCome(expiresAt) }),
      ...(creditCap !== undefined && { creditCap }),
    }
    const { id: accountId } = await requireAccount(db, account)
    const done = { what: `keys create ${name}`, subject: accountId, why, actor }
    return await act(db, done, (tx) => createKey(tx, { accountId, name, ...limits }))
  },
})

/** @throws FarmError */
function timeToCome(text: string): Date {
  const time = new Date(text)
  if (time.getTime() > Date.now()) return time
  const message = `expiresAt must be a time in the future. Got ${text}`
  throw new FarmError('invalid_value', message, { field: 'expiresAt' })
}

export const revokeKeyOperation = change({
  ...{ id: 'operatorRevokeKey', path: '/accounts/:account/keys/:key/revoke', role: 'admin' },
  summary: 'Revoke a key; the next request with it is refused',
  params: Type.Object({ account: IdOrName, key: Uuid }),
  answer: Key,
  async run({ db }, { account, key, why }, actor) {
    const { id: accountId } = await requireAccount(db, account)
    const done = { what: `keys revoke ${key}`, subject: accountId, why, actor }
    return await act(db, done, async (tx) => {
      const ended = await revokeKey(tx, { accountId, keyId: key })
      if (ended) return ended
      const message = `KEY must be the id of a live key of the account. Got ${key}`
      throw new FarmError('not_found', message)
    })
  },
})
