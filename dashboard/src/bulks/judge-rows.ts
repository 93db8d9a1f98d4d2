import type { PlanLimits } from '../../../core/accounts/plans.ts'
import type { Row, TableFault } from '../../../core/bulks/table.ts'
import { priceAtSubmission } from '../../../core/jobs/pricing.ts'
import { createItemValidator, readBulk } from '../../../core/project/bulk.ts'
import { itemOf } from './mapping.ts'

export type Judged = {
  /** Faults of the project itself, which every row would have. */
  readonly common: readonly string[]
  /** Faults of rows, with the column where one is at fault. */
  readonly faults: readonly TableFault[]
  readonly credits: number
  readonly creditsMost: number
  /** Length of all films together. */
  readonly seconds: number
}

/** Rows that are judged before the page may react again. */
const rowsAtOnce = 10

/**
 * Judges every row as the farm will, offline. `trustedHosts`: hosts besides public ones that media may
 * come from. @throws the signal's reason, when the rows change meanwhile
 */
export async function judgeRows(
  { payload, rows }: { payload: Record<string, unknown>; rows: readonly Row[] },
  {
    plan,
    trustedHosts,
    signal,
  }: { plan: PlanLimits; trustedHosts: readonly string[]; signal: AbortSignal },
): Promise<Judged> {
  const bulk = readBulk({ payload, items: [{}] }, plan, { trustedHosts })
  if ('faults' in bulk) {
    const common = bulk.faults.map(({ field, message }) => `${field} ${message}`.trim())
    return { common, faults: [], credits: 0, creditsMost: 0, seconds: 0 }
  }
  const validate = createItemValidator(bulk.base, plan, { trustedHosts })
  const faults: TableFault[] = []
  const sum = { credits: 0, creditsMost: 0, seconds: 0 }
  for (const [at, row] of rows.entries()) {
    if (at % rowsAtOnce === 0) await pageReacts(signal)
    const item = itemOf(row)
    const judged = validate(item, 0)
    if ('faults' in judged) {
      for (const { pointer = '', field, message } of judged.faults) {
        const column = columnAt(pointer)
        const where = column === undefined && field ? `${field} ` : ''
        faults.push({
          field: `row ${row.number}`,
          message: `${where}${message}`,
          ...(column !== undefined && { column }),
        })
      }
      continue
    }
    const price = priceAtSubmission(judged.resolution.project, plan)
    sum.credits += price.credits
    sum.creditsMost += price.creditsMost
    sum.seconds += price.seconds
  }
  return { common: [], faults, ...sum }
}

/** Returns the column whose cell a pointer such as `/items/0/variables/event/time` names. */
function columnAt(pointer: string): string | undefined {
  const [, items, , kind, ...path] = pointer.split('/')
  if (items !== 'items') return undefined
  if (kind === 'name') return 'name'
  return kind === 'variables' && path.length > 0 ? path.join('.') : undefined
}

async function pageReacts(signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve))
  signal.throwIfAborted()
}
