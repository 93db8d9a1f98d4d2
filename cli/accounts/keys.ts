import { type KeyScope, keyScopes } from '../../core/accounts/key-scopes.ts'
import { revokeKey } from '../../store/db/accounts/change-key.ts'
import { createKey } from '../../store/db/accounts/create-key.ts'
import { findKeysByPrefix } from '../../store/db/accounts/find-keys-by-prefix.ts'
import { type KeyView, listKeys } from '../../store/db/accounts/list-keys.ts'
import { Failure, usage } from '../failure.ts'
import { type ActOptions, act } from '../fleet/act.ts'
import { answerRows, operate, requireAccount } from './operate.ts'
import type { TableRow } from './table.ts'

type OfAccount = { readonly account: string; readonly json?: boolean }

export async function addKey({
  account,
  name,
  json,
  scopes,
  expires,
  cap,
  ...options
}: OfAccount &
  ActOptions & {
    name: string
    scopes?: string
    expires?: Date
    cap?: number
  }): Promise<void> {
  const limits = {
    ...(scopes !== undefined && { scopes: readScopes(scopes) }),
    ...(expires && { expiresAt: expires }),
    ...(cap !== undefined && { creditCap: cap }),
  }
  await operate(json, async (db) => {
    const { id: accountId } = await requireAccount(db, account)
    const done = { what: `keys create ${name}`, subject: accountId, ...options }
    const { key, ...made } = await act(db, done, (tx) =>
      createKey(tx, { accountId, name, ...limits }),
    )
    const text = `${key}\n\nThis is the only time the key is shown. Its id is ${made.id}.`
    return { json: { ...rowOf(made), key }, text }
  })
}

export async function showKeys({ account, json }: OfAccount): Promise<void> {
  await operate(json, async (db) => {
    const { id } = await requireAccount(db, account)
    return answerRows((await listKeys(db, id)).map(rowOf))
  })
}

/** `farm keys find START`: the keys of all accounts that begin with START. */
export async function findKeyOwners({
  start,
  json,
}: {
  readonly start: string
  readonly json?: boolean
}): Promise<void> {
  await operate(json, async (db) => {
    const found = await findKeysByPrefix(db, start)
    return answerRows(
      found.map(({ id, prefix, name, account, accountId, ...times }) => ({
        ...{ id, prefix, name, account, accountId, created: times.createdAt },
        ...{ used: times.lastUsedAt, expires: times.expiresAt, revoked: times.revokedAt },
      })),
    )
  })
}

export async function endKey({
  account,
  key,
  json,
  ...options
}: OfAccount & ActOptions & { key: string }): Promise<void> {
  await operate(json, async (db) => {
    const { id: accountId } = await requireAccount(db, account)
    const done = { what: `keys revoke ${key}`, subject: accountId, ...options }
    const revoked = await act(db, done, async (tx) => {
      const ended = await revokeKey(tx, { accountId, keyId: key })
      if (ended) return ended
      throw new Failure(`KEY must be the id of a live key of the account. Got ${key}`)
    })
    return { json: { revoked: true, ...rowOf(revoked) }, text: `revoked ${key}` }
  })
}

function readScopes(text: string): KeyScope[] {
  return text.split(',').map((word) => {
    const scope = keyScopes.find((each) => each === word.trim())
    if (scope) return scope
    throw usage(`--scopes must be out of ${keyScopes.join(', ')}. Got ${word}`)
  })
}

function rowOf(key: KeyView): TableRow {
  const { id, name, prefix, scopes, expiresAt, creditCap, creditsSpent } = key
  return {
    ...{ id, name, prefix, scopes: scopes ?? 'all', expires: expiresAt },
    ...{ cap: creditCap, spent: creditCap === null ? null : creditsSpent },
    ...{ created: key.createdAt, used: key.lastUsedAt },
  }
}
