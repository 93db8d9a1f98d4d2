import { largestPlan, plans } from '../../core/accounts/plans.ts'
import { createItemValidator, readBulk } from '../../core/project/bulk.ts'
import { Failure } from '../failure.ts'
import { invalid } from '../render/check.ts'
import type { BulkWork } from './work.ts'

/**
 * Reports the faults that a farm would find, when no row can be rendered. If one can, the farm
 * reports the other rows' faults.
 * @throws Failure with every fault
 */
export function checkItems(
  { request, entries }: BulkWork,
  options: { trustedHosts: readonly string[] },
): void {
  const plan = plans[largestPlan]
  const bulk = readBulk({ ...request, items: [{}] }, plan, options)
  if ('faults' in bulk) throw invalid(bulk.faults)
  const validate = createItemValidator(bulk.base, plan, options)
  const faults = []
  for (const { row, item } of entries) {
    const validated = validate(item)
    if (!('faults' in validated)) return
    const [first] = validated.faults
    const message = [first?.field, first?.message].filter(Boolean).join(': ')
    faults.push({ field: `row ${row.number}`, message })
  }
  throw new Failure('no row can be rendered:', { faults })
}
