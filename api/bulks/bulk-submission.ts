import { randomUUID } from 'node:crypto'
import type { PlanLimits } from '../../core/accounts/plans.ts'
import type { FarmError } from '../../core/errors.ts'
import { type Price, priceAtSubmission } from '../../core/jobs/pricing.ts'
import {
  type Bulk,
  createItemValidator,
  readBulk,
  type ValidatedItem,
} from '../../core/project/bulk.ts'
import type { PayloadAt } from '../../core/project/pointers.ts'
import type { RenderRequest } from '../../core/project/schema/request.ts'
import type { EndedItems } from '../../store/db/bulks/get-ended-items.ts'
import type { NewBulkJob } from '../../store/db/bulks/insert-bulk-with-hold.ts'
import type { Db } from '../../store/db/database.ts'
import type { RefusedItem } from '../../store/db/schema.ts'
import type { Caller } from '../gateway/caller.ts'
import type { SliceQueue } from '../gateway/slice-queue.ts'
import { asStill } from '../jobs/still.ts'
import { toProblem, withTemplate } from '../jobs/submission.ts'

/** Limit of the faults of one item; more would not help. */
const maxFaultsOfItem = 20

type PricedJob = NewBulkJob & { readonly price: Price }

export type BulkSubmission = {
  readonly name: string
  /** Request with the payload of its template, as it was at submission. */
  readonly base: RenderRequest
  readonly templateId: string | undefined
  readonly items: number
  readonly jobs: readonly PricedJob[]
  readonly refused: readonly RefusedItem[]
}

/**
 * Reads a parsed body item by item; a faulty item is refused alone.
 * @throws FarmError with every fault of the common part, or when no item is left.
 */
export async function readBulkSubmission(
  sent: unknown,
  {
    db,
    account: { accountId, limits },
    trustedHosts,
    sliceQueue,
    still = false,
  }: Judging & {
    db: Db
    account: Pick<Caller, 'accountId' | 'limits'>
    /** Accepts stills only: a payload without a `type` is an image's. */
    still?: boolean
  },
): Promise<BulkSubmission> {
  const named = await withTemplate(db, accountId, sent)
  const { request, templateId } = still ? asStill(named) : named
  const { templateName } = named
  const payloadAt = templateId === undefined ? '/payload' : '/template'
  const bulk = readBulk(request, limits, { trustedHosts, payloadAt })
  if ('faults' in bulk) throw toProblem(bulk.faults, limits)
  const items = bulk.items.map((item, index) => ({ index, item }))
  const frame = { base: bulk.base, templateId, payloadAt } as const
  const judged = await judgeItems(items, { ...frame, limits, trustedHosts, sliceQueue })
  return { name: nameOfBulk(bulk, templateName), base: bulk.base, templateId, ...judged }
}

/**
 * Reads items of an earlier bulk once more, by the rules and the plan of today. Their jobs get new ids.
 * @throws FarmError when no item is left.
 */
export async function readEndedItems(
  { name, base, items, templateId }: EndedItems,
  { account: { limits }, trustedHosts, sliceQueue }: Judging & { account: Pick<Caller, 'limits'> },
): Promise<BulkSubmission> {
  const again = items.map(({ index, item: { jobId: _, ...item } }) => ({ index, item }))
  const payloadAt = '/payload'
  const request = { ...base, name, items: again.map(({ item }) => item) }
  const bulk = readBulk(request, limits, { trustedHosts, payloadAt })
  if ('faults' in bulk) throw toProblem(bulk.faults, limits)
  const frame = { base: bulk.base, templateId: templateId ?? undefined, payloadAt } as const
  const judged = await judgeItems(again, { ...frame, limits, trustedHosts, sliceQueue })
  return { name, base: bulk.base, templateId: frame.templateId, ...judged }
}

type Judging = { readonly trustedHosts: readonly string[]; readonly sliceQueue: SliceQueue }

async function judgeItems(
  items: readonly { readonly index: number; readonly item: unknown }[],
  {
    base,
    templateId,
    payloadAt,
    limits,
    trustedHosts,
    sliceQueue,
  }: Judging & {
    base: RenderRequest
    templateId: string | undefined
    payloadAt: PayloadAt
    limits: PlanLimits
  },
): Promise<Pick<BulkSubmission, 'items' | 'jobs' | 'refused'>> {
  const validate = createItemValidator(base, limits, {
    ...{ trustedHosts, payloadAt },
    stored: templateId !== undefined,
  })
  const jobs: PricedJob[] = []
  const refused: RefusedItem[] = []
  const indexOf = new Map<string, number>()
  for (const { index, item } of items) {
    const validated = await sliceQueue(() => validate(item, index))
    const job = toJob(validated, { index, limits, indexOf })
    if ('details' in job) refused.push(job)
    else {
      indexOf.set(job.id, index)
      jobs.push(job)
    }
  }
  if (jobs.length === 0) throw nothingLeft(refused, limits)
  return { items: items.length, jobs, refused }
}

/**
 * Name of the bulk, never one item's: its own, the items' common one, the template's, or their
 * number.
 */
function nameOfBulk({ name, base, items }: Bulk, templateName: string | undefined): string {
  const ofPayload = base.payload?.name
  const common = ofPayload?.includes('{{') ? undefined : ofPayload
  return (
    [name, base.overrides?.name, common, templateName].find(Boolean) ?? `bulk of ${items.length}`
  )
}

function toJob(
  validated: ValidatedItem,
  {
    index,
    limits,
    indexOf,
  }: { index: number; limits: PlanLimits; indexOf: ReadonlyMap<string, number> },
): PricedJob | RefusedItem {
  if ('faults' in validated) return { index, details: validated.faults.slice(0, maxFaultsOfItem) }
  const { item, resolution } = validated
  const { project, warnings } = resolution
  const id = item.jobId?.toLowerCase() ?? randomUUID()
  const duplicate = indexOf.get(id)
  if (duplicate !== undefined) {
    const message = `jobId must be unique among the items. Got ${id}, which item ${duplicate} has too`
    const place = { field: 'jobId', pointer: `/items/${index}/jobId` }
    return { index, details: [{ ...place, code: 'conflict', message }] }
  }
  const price = priceAtSubmission(project, limits)
  const { type, name } = project
  return { id, index, type, name, item, credits: price.credits, warnings, price }
}

/**
 * Builds the answer when every item was refused: each different fault once, and all of them by
 * index.
 */
export function nothingLeft(refused: readonly RefusedItem[], limits: PlanLimits): FarmError {
  const faults = new Map(
    refused.flatMap(({ details }) => details.map((fault) => [JSON.stringify(fault), fault])),
  )
  return toProblem([...faults.values()].slice(0, maxFaultsOfItem), limits, { errors: refused })
}
