/**
 * States of a node. `active`: takes work. `leaving`: its process is stopping; it is active again
 * when it registers. `cordoned`: its operator wants no new work on it. `draining`: cordoned, and
 * tasks that still run after a grace period are taken back. `quarantined`: it failed tasks that
 * other nodes could do, and gets only canaries. The last three survive a restart of the node.
 *
 * A state does not tell whether the node is alive; `last_seen_at` does.
 */
export const nodeStates = ['active', 'leaving', 'cordoned', 'draining', 'quarantined'] as const
export type NodeState = (typeof nodeStates)[number]

/** A node that was silent for longer is not waited for. Longer than its longest poll. */
export const nodeLiveMs = 30_000

export type NodeAct =
  | 'register'
  | 'leave'
  | 'cordon'
  | 'drain'
  | 'uncordon'
  | 'quarantine'
  | 'release'

/** Allowed changes of a node's state. */
export const nodeActs: Readonly<
  Record<NodeAct, { readonly from: readonly NodeState[]; readonly to: NodeState }>
> = {
  register: { from: ['leaving'], to: 'active' },
  leave: { from: ['active'], to: 'leaving' },
  cordon: { from: ['active', 'leaving', 'draining', 'quarantined'], to: 'cordoned' },
  drain: { from: ['active', 'leaving', 'cordoned', 'quarantined'], to: 'draining' },
  uncordon: { from: ['cordoned', 'draining'], to: 'active' },
  quarantine: { from: ['active', 'leaving'], to: 'quarantined' },
  release: { from: ['quarantined'], to: 'active' },
}

/** A node's recent results. */
export type NodeRecord = {
  /** Tasks that it failed or lost, and that then succeeded on another node. */
  readonly blamed: number
  /** Its attempts that succeeded. */
  readonly succeeded: number
}

/** Tasks needed to blame the node; one or two may be chance. */
const blamedLeast = 3
/** Least share of failures: a node that does most of its work well stays in use. */
const blamedShare = 0.2

/** Decides whether a node is quarantined for its results in the last quarter of an hour. */
export function isSuspect({ blamed, succeeded }: NodeRecord): boolean {
  return blamed >= blamedLeast && blamed >= blamedShare * (blamed + succeeded)
}

const canaryFirstMs = 30_000
const canaryLongestMs = 15 * 60_000

/** Time until a quarantined node's next canary; it doubles with each failure. */
export function canaryPauseMs(failed: number): number {
  return Math.min(canaryFirstMs * 2 ** Math.min(failed, 10), canaryLongestMs)
}
