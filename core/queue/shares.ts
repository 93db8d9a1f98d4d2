import type { PlanName } from '../accounts/plans.ts'

/**
 * Limits of an account's share of the farm.
 * - `weight`: share relative to other accounts that have work at the same time.
 * - `guaranteed`: slots that an account gets before any other exceeds its own guarantee. None
 *   unless a contract says so (the account's own row), because a promise beyond the farm's size
 *   starves everyone else.
 * - `burst`: most slots of the account, however idle the farm.
 * - `jobSlots`: most slots of one job.
 */
export type Share = {
  readonly weight: number
  readonly guaranteed: number
  readonly burst: number
  readonly jobSlots: number
}

export const planShares: Readonly<Record<PlanName, Share>> = {
  free: { weight: 1, guaranteed: 0, burst: 128, jobSlots: 128 },
  pro: { weight: 2, guaranteed: 0, burst: 512, jobSlots: 256 },
  studio: { weight: 4, guaranteed: 0, burst: 2048, jobSlots: 1024 },
}

/**
 * Factors on an account's weight by priority. A priority is a weight and no rank: tasks of low
 * priority keep their place in the order of start tags, so they come nearer as they wait.
 */
export const priorityWeights = { low: 0.25, normal: 1, high: 4 } as const
export type Priority = keyof typeof priorityWeights
export const priorities = Object.keys(priorityWeights) as readonly Priority[]

/**
 * Most that a task may jump the queue on a node that has its job's media; a task's own cost is a
 * limit as well. In frames of 720p at weight 1: about a second of one slot's work.
 */
export const localityBound = 100

/**
 * Jain's fairness index, from 1/n (one has all) to 1 (all have the same): Jain, Chiu and Hawe, "A
 * quantitative measure of fairness", DEC-TR-301, 1984. Shares are relative to weights. It is 1 when
 * there is nobody, or nothing to share.
 */
export function jainIndex(shares: readonly number[]): number {
  const sum = shares.reduce((total, share) => total + share, 0)
  const squares = shares.reduce((total, share) => total + share ** 2, 0)
  return squares === 0 ? 1 : sum ** 2 / (shares.length * squares)
}
