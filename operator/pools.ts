import { Type } from 'typebox'
import { nodeLiveMs } from '../core/fleet/node-states.ts'
import { text } from '../core/project/schema/fields.ts'
import { limitPool } from '../store/db/fleet/limit-pool.ts'
import { listPools } from '../store/db/fleet/list-pools.ts'
import { act } from './act.ts'
import { change, read } from './operation.ts'
import { Nullable } from './schemas.ts'

const maxSlots = 1_000_000

/** The whole farm, and nodes that name no pool, as subjects of acts and in tables. */
export const farmName = 'farm'
export const noPoolName = '(none)'

const Pools = Type.Object({
  pools: Type.Array(
    Type.Object({
      pool: Nullable(
        Type.String({ description: 'Empty: nodes without a pool; null: the whole farm' }),
      ),
      nodes: Type.Integer({ description: 'Nodes that take work' }),
      slots: Type.Integer({ description: 'Slots of the nodes that take work' }),
      silent: Type.Integer({ description: 'Nodes that have not spoken for half a minute' }),
      stopped: Type.Integer({ description: 'Nodes that speak, but take no work' }),
      running: Type.Integer(),
      slotsMax: Nullable(Type.Integer({ description: 'Null: all that the nodes offer' })),
    }),
  ),
})

export const listPoolsOperation = read({
  ...{ id: 'operatorListPools', path: '/pools', role: 'viewer' },
  summary:
    'List every pool with its nodes, slots and limit, also those with silent nodes alone, and the whole farm',
  answer: Pools,
  run: async ({ db }) => ({ pools: await listPools(db, { seenWithinMs: nodeLiveMs }) }),
})

export const limitPoolOperation = change({
  ...{ id: 'operatorLimitPool', path: '/pools/limit', role: 'operator' },
  summary: 'Limit the tasks that run at once in a pool or in the whole farm, or lift the limit',
  body: Type.Object({
    pool: Nullable(text(100)),
    slots: Nullable(Type.Integer({ minimum: 0, maximum: maxSlots })),
  }),
  answer: Pools,
  async run({ db }, { pool, slots, why }, actor) {
    const subject = pool === null ? farmName : pool || noPoolName
    const what = `pools limit ${slots ?? 'none'}`
    await act(db, { what, subject, why, actor }, (tx) => limitPool(tx, { pool, slots }))
    return { pools: await listPools(db, { seenWithinMs: nodeLiveMs }) }
  },
})
