/**
 * Result of one check. `missing`: the farm does not work without it; `optional`: it works, but less
 * well. `advice`: remedy for either.
 */
export type Finding = {
  readonly name: string
  readonly verdict: 'ok' | 'optional' | 'missing'
  readonly facts: string
  readonly advice?: string
}

export function ok(name: string, facts: string): Finding {
  return { name, verdict: 'ok', facts }
}

export function optional(name: string, facts: string, advice: string): Finding {
  return { name, verdict: 'optional', facts, advice }
}

export function missing(name: string, facts: string, advice: string): Finding {
  return { name, verdict: 'missing', facts, advice }
}
