import type { KeyScope } from '../../core/accounts/key-scopes.ts'
import type { PlanLimits } from '../../core/accounts/plans.ts'

/** The account and the credential behind a request. */
export type Caller = {
  readonly accountId: string
  readonly plan: string
  readonly limits: PlanLimits
  readonly credential: Credential
}

export type Credential =
  | {
      readonly kind: 'key'
      readonly keyId: string
      /** null: everything. */
      readonly scopes: readonly KeyScope[] | null
      readonly expiresAt: Date | null
      /** Credits that the key's jobs may cost in all; null: as many as the account has. */
      readonly creditCap: number | null
    }
  | { readonly kind: 'session'; readonly sessionId: string; readonly userId: string }
