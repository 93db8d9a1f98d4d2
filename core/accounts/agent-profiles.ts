import type { KeyScope } from './key-scopes.ts'

/** Profiles of a connected agent, from least to most rights; its person chooses one at consent. */
export const agentProfiles = ['readonly', 'creator', 'automation', 'developer'] as const
export type AgentProfile = (typeof agentProfiles)[number]

/** Spending limits of a connection; `totalCap` null: as many credits as the account has. */
export type AgentCaps = {
  /** Credits that one render may cost. */
  readonly renderCap: number
  /** Credits that all its renders may cost together. */
  readonly totalCap: number | null
  /** Items of one bulk. */
  readonly bulkCap: number
}

export const defaultAgentCaps: AgentCaps = { renderCap: 120, totalCap: null, bulkCap: 25 }

const scopesOf: Readonly<Record<AgentProfile, readonly KeyScope[]>> = {
  readonly: ['jobs', 'account', 'templates'],
  creator: ['jobs', 'account', 'templates', 'render'],
  automation: ['jobs', 'account', 'templates', 'render', 'webhooks'],
  developer: ['jobs', 'account', 'templates', 'render', 'webhooks'],
}

/**
 * Answers whether a profile admits a route, whatever tools an agent is shown. API keys are left to
 * people, `readonly` changes nothing, and only `developer` deletes.
 */
export function profileAdmits(
  profile: AgentProfile,
  { method, scope }: { readonly method: string; readonly scope: KeyScope | undefined },
): boolean {
  if (scope === undefined || !scopesOf[profile].includes(scope)) return false
  if (method === 'DELETE') return profile === 'developer'
  return profile !== 'readonly' || method === 'GET' || method === 'HEAD'
}
