import type { PlanLimits } from '../accounts/plans.ts'
import type { Fault } from '../errors.ts'
import { compileCheck, isRecord } from './check.ts'
import { locatedAt, pointerInto } from './pointers.ts'
import { makeReport } from './report.ts'
import { type Resolution, type ResolveOptions, resolveRequest } from './resolve.ts'
import { BulkFrame, BulkItem, maxBulkItems } from './schema/bulk.ts'
import type { RenderRequest } from './schema/request.ts'
import { createSharedWork } from './shared-work.ts'
import { checkBounds } from './walk.ts'

const checkFrame = compileCheck(BulkFrame)
const checkItem = compileCheck(BulkItem)

type Options = Pick<ResolveOptions, 'trustedHosts' | 'stored' | 'payloadAt'>

/** Common part of a bulk's renders, its shape validated, and its items as they were sent. */
export type Bulk = {
  /** Render request without the parts that items add. */
  readonly base: RenderRequest
  readonly name: string | undefined
  readonly items: readonly unknown[]
}

/**
 * Reads a bulk submission, without its items. A fault here is a fault of every item, so it refuses
 * the whole request; `field` is a path as in `readRequest`.
 */
export function readBulk(
  body: unknown,
  plan: PlanLimits,
  { trustedHosts = [], payloadAt }: Options = {},
): Bulk | { faults: Fault[] } {
  const report = makeReport('invalid_request')
  if (!isRecord(body)) {
    report.add('', 'The body must be a JSON object with `items` and `payload` or `template`.')
    return { faults: report.faults }
  }
  const { items, ...rest } = body
  if (checkBounds(rest, report)) checkFrame(body, '', { stage: 'sent', report, trustedHosts })
  if (!Array.isArray(items) || items.length < 1 || items.length > maxBulkItems) {
    const seen = Array.isArray(items) ? String(items.length) : 'none'
    report.add('items', `items must be an array of 1 to ${maxBulkItems}. Got ${seen}.`)
  } else if (items.length > plan.bulkItems) {
    const rule = `A bulk must have <= ${plan.bulkItems} items on this plan.`
    report.add('items', `${rule} Got ${items.length}.`, 'plan_limit')
  }
  if (report.faults.length > 0 || !Array.isArray(items)) {
    return { faults: report.faults.map((fault) => locatedAt(fault, body, payloadAt)) }
  }
  const { name, ...base } = rest
  return { base, items, name: typeof name === 'string' ? name : undefined }
}

/**
 * Returns the render request of an item: its variables override those of the bulk, name by name;
 * its name replaces the overrides' name.
 */
export function requestOfItem(base: RenderRequest, item: BulkItem): RenderRequest {
  const { variables, name, jobId } = item
  return {
    ...base,
    ...(variables && { variables: { ...base.variables, ...variables } }),
    ...(name !== undefined && { overrides: { ...base.overrides, name } }),
    ...(jobId !== undefined && { jobId }),
  }
}

/**
 * Most distinct markup of all items together, in characters: ten times the limit of one project
 * (element-rules.ts). Five hundred items must not block the process for minutes.
 */
const maxMarkup = 10_000_000

export type ValidatedItem =
  | { readonly item: BulkItem; readonly resolution: Resolution }
  | { readonly faults: readonly Fault[] }

/**
 * Returns a function that validates one item of the bulk at each call. Common parts are validated
 * once: the project's shape (`readBulk`), and texts without variables.
 */
export function createItemValidator(
  base: RenderRequest,
  plan: PlanLimits,
  options: Options = {},
): (item: unknown, index?: number) => ValidatedItem {
  const work = createSharedWork()
  return (item, index = 0) => {
    const report = makeReport('invalid_request')
    const at = `/items/${index}`
    if (work.markupCharacters() > maxMarkup) {
      const rule = `The items of a bulk must have <= ${maxMarkup} characters of distinct html and svg`
      report.add('', `${rule}. Got more up to this item.`, report.meaning)
      return { faults: report.faults.map((fault) => ({ ...fault, pointer: at })) }
    }
    if (checkBounds(item, report)) checkItem(item, '', { stage: 'sent', report })
    if (report.faults.length > 0) {
      const inItem = (field: string) => `${at}${pointerInto(item, field)}`
      return { faults: report.faults.map((fault) => ({ ...fault, pointer: inItem(fault.field) })) }
    }
    const known = item as BulkItem
    const request = requestOfItem(base, known)
    const resolution = resolveRequest(request, plan, { ...options, work })
    const moved = <T extends { readonly pointer?: string }>(found: T) => ofItem(found, known, at)
    if ('faults' in resolution) return { faults: resolution.faults.map(moved) }
    return { item: known, resolution: { ...resolution, warnings: resolution.warnings.map(moved) } }
  }
}

/** Moves the pointer of a finding into the item, if the variable or name at fault is the item's own. */
function ofItem<T extends { readonly pointer?: string }>(found: T, item: BulkItem, at: string): T {
  const { pointer = '' } = found
  const [, root, key = ''] = pointer.split('/')
  const name = key.replace(/~1/g, '/').replace(/~0/g, '~')
  const isOwn = root === 'variables' && Object.hasOwn(item.variables ?? {}, name)
  if (isOwn) return { ...found, pointer: `${at}${pointer}` }
  const isName = pointer === '/overrides/name' && item.name !== undefined
  return isName ? { ...found, pointer: `${at}/name` } : found
}
