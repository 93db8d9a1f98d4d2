import { limitPool } from '../../store/db/fleet/limit-pool.ts'
import { listPools, type PoolView } from '../../store/db/fleet/list-pools.ts'
import { operate } from '../accounts/operate.ts'
import { showTable } from '../accounts/table.ts'
import { type ActOptions, act } from './act.ts'

const onlineMs = 30_000
const farm = 'farm'
/** Nodes that name no pool. */
const noPool = '(none)'

export async function showPools({ json }: { readonly json?: boolean }): Promise<void> {
  await operate(json, async (db) => {
    const pools = await listPools(db, { seenWithinMs: onlineMs })
    return { json: pools, text: showTable(pools.map(rowOf)) }
  })
}

/** `pool` undefined: the whole farm. */
export async function setPoolLimit({
  pool,
  slots,
  json,
  ...options
}: { pool: string | undefined; slots: number | 'none' } & ActOptions): Promise<void> {
  await operate(json, async (db) => {
    const what = `pools limit ${slots}`
    const subject = pool === undefined ? farm : pool || noPool
    await act(db, { what, subject, ...options }, (tx) =>
      limitPool(tx, { pool: pool ?? null, slots: slots === 'none' ? null : slots }),
    )
    const pools = await listPools(db, { seenWithinMs: onlineMs })
    const isEmpty = pools.some((each) => each.pool === pool && each.nodes === 0)
    if (pool && slots !== 'none' && isEmpty) {
      process.stderr.write(`farm: no node is in pool ${pool} now. The limit is kept for later\n`)
    }
    return { json: pools, text: showTable(pools.map(rowOf)) }
  })
}

function rowOf({ pool, nodes, slots, running, slotsMax }: PoolView) {
  const name = pool === null ? `(${farm})` : pool || noPool
  return { pool: name, nodes, slots, running, limit: slotsMax }
}
