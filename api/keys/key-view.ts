import { Type } from 'typebox'
import { keyScopes } from '../../core/accounts/key-scopes.ts'
import type { KeyView } from '../../store/db/accounts/list-keys.ts'

const Nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()])
const Time = Type.String({ format: 'date-time' })

/** A key as its account reads it. The key itself is shown once, when it is made. */
export const ApiKey = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    name: Type.String(),
    prefix: Type.String({ description: 'First characters of the key' }),
    scopes: Nullable(Type.Array(Type.Enum([...keyScopes]))),
    expiresAt: Nullable(Time),
    spendingCap: Nullable(
      Type.Integer({ description: 'Total credits that jobs of the key may cost' }),
    ),
    creditsSpent: Nullable(
      Type.Integer({ description: 'Credits held and charged so far, for a key with a cap' }),
    ),
    createdAt: Time,
    lastUsedAt: Nullable(Time),
    usage: Type.Optional(
      Type.Array(Type.Object({ date: Type.String({ format: 'date' }), requests: Type.Integer() }), {
        description: 'Requests by day (UTC), newest first, when `usageDays` asks for them',
      }),
    ),
  },
  { $id: 'ApiKey' },
)

export function showKey(key: KeyView) {
  return {
    id: key.id,
    name: key.name,
    prefix: key.prefix,
    scopes: key.scopes && [...key.scopes],
    expiresAt: key.expiresAt?.toISOString() ?? null,
    spendingCap: key.creditCap,
    creditsSpent: key.creditCap === null ? null : key.creditsSpent,
    createdAt: key.createdAt.toISOString(),
    lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
  }
}
