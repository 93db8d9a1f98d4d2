import type { PlanName } from './plans.ts'

/**
 * Who gets how much of the farm. `weight`: share relative to other accounts that want work done at
 * the same time. `guaranteed`: slots an account gets before anybody else gets more than theirs;
 * none unless a contract says so (the account's own row), because a promise that exceeds the farm
 * starves everyone else. `burst`: slots it never gets more than, however idle the farm. `jobSlots`:
 * the same for one job.
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
 * A job's priority multiplies its account's weight. It is a weight and no rank: work of low priority
 * keeps its place in the order of start tags, so the longer it waits the nearer it comes.
 */
export const priorityWeights = { low: 0.25, normal: 1, high: 4 } as const
export type Priority = keyof typeof priorityWeights
export const priorities = Object.keys(priorityWeights) as readonly Priority[]

/**
 * A node that has the job's media may take its task before others, if the task's start tag is later
 * by at most the task's own cost and never by more than this (frames of 720p at weight 1: about a
 * second of one slot's work).
 */
export const localityBound = 100

/**
 * How equal shares are, from 1/n (one has all) to 1 (all have the same): Jain, Chiu and Hawe, "A
 * quantitative measure of fairness", DEC-TR-301, 1984. Shares are what each got by its weight. With
 * nobody, or nothing to share, nobody is treated unfairly: 1.
 */
export function jainIndex(shares: readonly number[]): number {
  const sum = shares.reduce((total, share) => total + share, 0)
  const squares = shares.reduce((total, share) => total + share ** 2, 0)
  return squares === 0 ? 1 : sum ** 2 / (shares.length * squares)
}
