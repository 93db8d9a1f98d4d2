import type { PlanLimits } from '../accounts/plans.ts'
import { childOf, type Report } from './report.ts'
import type { ReadMarkup, ResolveWork } from './shared-work.ts'

/** Sentences that rules are made of. */

export type RuleContext = {
  readonly plan: PlanLimits
  readonly report: Report
  /** Paths of items in the request as sent. */
  readonly origin: ReadonlyMap<object, string>
  /** `host:port` that are exempt from the rules for URLs. */
  readonly trustedHosts: readonly string[]
  /** Markup already read, by its language and text, shared by the clones of a scene. */
  readonly read: Map<string, ReadMarkup>
  /** Faults of custom code already validated, shared by the clones of a scene. */
  readonly validated: Map<string, readonly string[]>
  readonly work: ResolveWork
  /** Distinct pictures by URL in the html of each element, so far. */
  readonly pictures: { count: number }
  /** Markup seen so far. */
  readonly markup: { characters: number }
  /** Custom code seen so far. */
  readonly code: { characters: number }
}

type Item = Readonly<Record<string, unknown>>

export function numberOf(item: Item, key: string): number | undefined {
  const value = item[key]
  return typeof value === 'number' ? value : undefined
}

/** Reports `later` before `earlier`, where both are given. */
export function inOrder(
  item: Item,
  [earlier, later]: readonly [string, string],
  path: string,
  { report }: RuleContext,
): void {
  const begin = numberOf(item, earlier)
  const end = numberOf(item, later)
  if (begin === undefined || end === undefined || end >= begin) return
  const rule = `${later} must be >= ${earlier}. Got ${end}, but ${earlier} is ${begin}.`
  report.add(childOf(path, later), rule)
}

const units: Partial<Record<keyof PlanLimits, string>> = {
  durationSeconds: ' s',
  sourceSeconds: ' s',
  canvasPx: ' px',
  elementPx: ' px',
  positionPx: ' px',
  cropPx: ' px',
}

/** Limits the number's absolute value by the plan's `max`. */
export function limitNumber(
  item: Item,
  key: string,
  path: string,
  { plan, report, max }: RuleContext & { max: keyof PlanLimits },
): void {
  const value = numberOf(item, key)
  const limit = plan[max]
  if (value === undefined || Math.abs(value) <= limit) return
  const rule =
    value < 0
      ? `${key} must be >= -${limit}${units[max]}`
      : `${key} must be <= ${limit}${units[max]}`
  report.add(childOf(path, key), `${rule} on this plan. Got ${value}.`, 'plan_limit')
}

/** Ends a text as a sentence. */
export function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}
