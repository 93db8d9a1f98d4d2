import { type KeyScope, keyScopes } from '../../core/accounts/key-scopes.ts'
import {
  createKeyOperation,
  findKeysOperation,
  listKeysOperation,
  revokeKeyOperation,
} from '../../operator/keys.ts'
import type { KeyView } from '../../store/db/accounts/list-keys.ts'
import { usage } from '../failure.ts'
import type { ActOptions } from '../fleet/act.ts'
import { answerRows, operateFarm } from './operate.ts'
import type { TableRow } from './table.ts'

type OfAccount = { readonly account: string; readonly json?: boolean }

export async function addKey({
  account,
  name,
  scopes,
  expires,
  cap,
  why,
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
    ...(expires && { expiresAt: expires.toISOString() }),
    ...(cap !== undefined && { creditCap: cap }),
  }
  await operateFarm(options, async (farm) => {
    const asked = { account, name, ...limits, why }
    const { key, ...made } = await farm.run(createKeyOperation, asked)
    const text = `${key}\n\nThis is the only time the key is shown. Its id is ${made.id}.`
    return { json: { ...rowOf(made), key }, text }
  })
}

export async function showKeys({ account, json }: OfAccount): Promise<void> {
  await operateFarm({ json }, async (farm) => {
    const { keys } = await farm.run(listKeysOperation, { account })
    return answerRows(keys.map(rowOf))
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
  await operateFarm({ json }, async (farm) => {
    const { keys } = await farm.run(findKeysOperation, { start })
    return answerRows(
      keys.map(({ id, prefix, name, account, accountId, ...times }) => ({
        ...{ id, prefix, name, account, accountId, created: times.createdAt },
        ...{ used: times.lastUsedAt, expires: times.expiresAt, revoked: times.revokedAt },
      })),
    )
  })
}

export async function endKey({
  account,
  key,
  why,
  ...options
}: OfAccount & ActOptions & { key: string }): Promise<void> {
  await operateFarm(options, async (farm) => {
    const revoked = await farm.run(revokeKeyOperation, { account, key, why })
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
