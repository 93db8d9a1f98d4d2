import type { AgentCaps, AgentProfile } from '../../core/accounts/agent-profiles.ts'
import type { KeyScope } from '../../core/accounts/key-scopes.ts'
import type { PlanLimits } from '../../core/accounts/plans.ts'
import type { OperatorRole } from '../../core/operators/roles.ts'

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
  | AgentCredential

/**
 * An agent that a user connected. The hosted endpoint finds it (oauth/agent-tokens.ts) and calls
 * routes in its name (agent-calls.ts); nothing that is sent to a route makes one.
 */
export type AgentCredential = {
  readonly kind: 'agent'
  readonly grantId: string
  /** The user who consented. */
  readonly userId: string
  readonly profile: AgentProfile
  readonly caps: AgentCaps
  /** Credits that count against its total cap, when its token was looked up. */
  readonly spent: number
}

/** The operator behind a request, who belongs to no account. */
export type OperatorCaller = {
  readonly operatorId: string
  readonly email: string
  readonly role: OperatorRole
  readonly sessionId: string
  /** Seconds since the password was given last. */
  readonly confirmedSeconds: number
}

/** Id by which a credential is found in the database as long as it is accepted. */
export function credentialIdOf(credential: Credential): string {
  switch (credential.kind) {
    case 'key':
      return credential.keyId
    case 'session':
      return credential.sessionId
    case 'agent':
      return credential.grantId
    default:
      return credential satisfies never
  }
}

/** The job or bulk that a request made. */
export type Made = { readonly kind: 'job' | 'bulk'; readonly id: string }

/** A request of an agent, which calls of routes in this process answer. */
export type AgentCall = {
  readonly caller: Caller
  readonly requestId: string
  /** Name of the tool that it calls. */
  readonly tool: string | undefined
  /** Calls of routes that were made for it so far. */
  inner: number
  /** The job or bulk that one of them made. */
  made: Made | undefined
}
