import {
  addMaintenanceOperation,
  cancelMaintenanceOperation,
  listMaintenanceOperation,
} from '../../operator/maintenance.ts'
import { noPoolName } from '../../operator/pools.ts'
import type { MaintenanceView } from '../../store/db/fleet/maintenance-windows.ts'
import { answerOne, answerRows, operateFarm } from '../accounts/operate.ts'
import type { TableRow } from '../accounts/table.ts'
import type { ActOptions } from './act.ts'

/** `pool` false: nodes without a pool. */
export type NewWindow = {
  readonly node?: string
  readonly pool?: string | false
  readonly from?: Date
  readonly to: Date
}

export async function showWindows({
  json,
  limit,
}: {
  readonly json?: boolean
  readonly limit: number
}): Promise<void> {
  await operateFarm({ json }, async (farm) => {
    const { windows } = await farm.run(listMaintenanceOperation, { limit })
    return answerRows(windows.map(rowOf))
  })
}

export async function addWindow({
  node,
  pool,
  from,
  to,
  why,
  ...options
}: NewWindow & ActOptions): Promise<void> {
  const window = {
    ...(node !== undefined && { node }),
    ...(pool !== undefined && { pool: pool || '' }),
    ...(from && { from: from.toISOString() }),
    ...{ to: to.toISOString(), why },
  }
  await operateFarm(options, async (farm) =>
    answerOne(rowOf(await farm.run(addMaintenanceOperation, window))),
  )
}

export async function cancelWindow({
  window,
  why,
  ...options
}: { readonly window: string } & ActOptions): Promise<void> {
  await operateFarm(options, async (farm) =>
    answerOne(rowOf(await farm.run(cancelMaintenanceOperation, { window, why }))),
  )
}

function rowOf({ id, node, pool, startsAt, endsAt, ...window }: MaintenanceView): TableRow {
  const { cancelledAt, endedAt, beganAt, cordoned, madeBy: by, why } = window
  const isOver = endedAt !== null || cancelledAt !== null
  const goesOn = beganAt === null ? 'to come' : 'goes on'
  const state = isOver ? (cancelledAt === null ? 'over' : 'cancelled') : goesOn
  const of = node === null ? `pool ${pool || noPoolName}` : node
  return { id, of, state, from: startsAt, to: endsAt, cordoned, by, why }
}
