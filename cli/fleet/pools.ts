import { poolState } from '../../core/fleet/pool-state.ts'
import {
  farmName,
  limitPoolOperation,
  listPoolsOperation,
  noPoolName,
} from '../../operator/pools.ts'
import type { PoolView } from '../../store/db/fleet/list-pools.ts'
import { operateFarm } from '../accounts/operate.ts'
import { showTable } from '../accounts/table.ts'
import type { ActOptions } from './act.ts'

export async function showPools({ json }: { readonly json?: boolean }): Promise<void> {
  await operateFarm({ json }, async (farm) => {
    const { pools } = await farm.run(listPoolsOperation, {})
    return { json: pools, text: showTable(pools.map(rowOf)) }
  })
}

/** `pool` undefined: the whole farm. */
export async function setPoolLimit({
  pool,
  slots,
  why,
  ...options
}: { pool: string | undefined; slots: number | 'none' } & ActOptions): Promise<void> {
  await operateFarm(options, async (farm) => {
    const limit = { pool: pool ?? null, slots: slots === 'none' ? null : slots, why }
    const { pools } = await farm.run(limitPoolOperation, limit)
    const isEmpty = pools.some((each) => each.pool === pool && each.nodes === 0)
    if (pool && slots !== 'none' && isEmpty) {
      process.stderr.write(`farm: no node is in pool ${pool} now. The limit is kept for later\n`)
    }
    return { json: pools, text: showTable(pools.map(rowOf)) }
  })
}

function rowOf({ pool, nodes, slots, running, slotsMax, ...others }: PoolView) {
  const name = pool === null ? `(${farmName})` : pool || noPoolName
  const state = poolState({ nodes, ...others })
  return { pool: name, state, nodes, slots, running, limit: slotsMax }
}
