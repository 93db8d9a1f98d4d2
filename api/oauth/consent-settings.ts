import { Type } from 'typebox'
import {
  type AgentCaps,
  type AgentProfile,
  agentProfiles,
  defaultAgentCaps,
} from '../../core/accounts/agent-profiles.ts'

const maxCredits = 1_000_000_000
const maxItems = 10_000

const Credits = Type.Integer({ minimum: 0, maximum: maxCredits })

/** Allowance of an agent, which its person sets at consent and later. */
export const agentAllowance = {
  profile: Type.Optional(Type.Enum([...agentProfiles])),
  renderCap: Type.Optional(Credits),
  totalCap: Type.Optional(Type.Union([Credits, Type.Null()])),
  bulkCap: Type.Optional(Type.Integer({ minimum: 0, maximum: maxItems })),
}

/** Explanation of each profile for the person who chooses one. */
export const profileTexts: Readonly<Record<AgentProfile, string>> = {
  readonly: 'Look at renders, templates and the balance. Changes and spends nothing.',
  creator: 'Also make films and stills, keep drafts and templates. Spends credits.',
  automation: 'Also render in bulk and set up webhooks. Spends credits.',
  developer: 'Also change and delete templates and webhooks. Spends credits.',
}

export const usualProfile: AgentProfile = 'creator'

export type Allowance = Partial<AgentCaps> & { readonly profile?: AgentProfile }

/** Completes what the person left out. */
export function withDefaults(allowance: Allowance): AgentCaps & { profile: AgentProfile } {
  return { profile: usualProfile, ...defaultAgentCaps, ...allowance }
}
