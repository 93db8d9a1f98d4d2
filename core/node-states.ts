/**
 * A node as the farm sees it. `active`: takes work. `leaving`: its process is being stopped; it is
 * active again when it registers. `cordoned`: its people want no new work on it. `draining`: as
 * cordoned, and what still runs after a grace is taken back. `quarantined`: it failed what others
 * could do, and takes nothing but canaries. The last three survive a restart of the node.
 *
 * Whether a node is there at all is another question: when it spoke last (`last_seen_at`).
 */
export const nodeStates = ['active', 'leaving', 'cordoned', 'draining', 'quarantined'] as const
export type NodeState = (typeof nodeStates)[number]

export type NodeAct =
  | 'register'
  | 'leave'
  | 'cordon'
  | 'drain'
  | 'uncordon'
  | 'quarantine'
  | 'release'

/** Every change of a node's state there is. */
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

/** What a node did lately. */
export type NodeRecord = {
  /** Tasks it failed or lost that then succeeded on another node. */
  readonly blamed: number
  /** Attempts of its own that succeeded. */
  readonly succeeded: number
}

/** So many tasks show that it is the node; of one or two it may be chance. */
const blamedLeast = 3
/** A node that does most of its work well is not put away for the rest. */
const blamedShare = 0.2

/** Whether a node is to be quarantined for what it did in the last quarter of an hour. */
export function isSuspect({ blamed, succeeded }: NodeRecord): boolean {
  return blamed >= blamedLeast && blamed >= blamedShare * (blamed + succeeded)
}

const canaryFirstMs = 30_000
const canaryLongestMs = 15 * 60_000

/** How long a quarantined node waits for its next canary: twice as long after each that it failed. */
export function canaryPauseMs(failed: number): number {
  return Math.min(canaryFirstMs * 2 ** Math.min(failed, 10), canaryLongestMs)
}
