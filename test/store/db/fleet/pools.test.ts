import test from 'ava'
import { sql } from 'kysely'
import { nodeLiveMs } from '../../../../core/fleet/node-states.ts'
import { limitPool } from '../../../../store/db/fleet/limit-pool.ts'
import { listPools } from '../../../../store/db/fleet/list-pools.ts'
import { addNode, startDatabase } from '../../database.ts'

const { db, stop } = await startDatabase()
test.after.always(stop)

const list = async () => await listPools(db, { seenWithinMs: nodeLiveMs })

async function node(pool: string, { state = 'active', silentSeconds = 0 } = {}): Promise<void> {
  const id = await addNode(db)
  await sql`update nodes set state = ${state},
    last_seen_at = now() - ${silentSeconds} * interval '1 second',
    offer = offer || ${JSON.stringify({ pool, slots: 4 })}::jsonb where id = ${id}`.execute(db)
}

test.serial('a farm without nodes is one row', async (t) => {
  const none = { nodes: 0, slots: 0, silent: 0, stopped: 0, running: 0, slotsMax: null }
  t.deepEqual(await list(), [{ pool: null, ...none }])
})

test.serial('a pool whose nodes are all silent or stopped is listed', async (t) => {
  await node('gone', { silentSeconds: 60 })
  await node('gone', { silentSeconds: 60, state: 'cordoned' })
  await node('idle', { state: 'draining' })
  await node('works')
  await node('works', { silentSeconds: 60 })
  await limitPool(db, { pool: 'empty', slots: 3 })
  const none = { nodes: 0, slots: 0, silent: 0, stopped: 0, running: 0, slotsMax: null }
  t.deepEqual(await list(), [
    { ...none, pool: null, nodes: 1, slots: 4, silent: 3, stopped: 1 },
    { ...none, pool: 'empty', slotsMax: 3 },
    { ...none, pool: 'gone', silent: 2 },
    { ...none, pool: 'idle', stopped: 1 },
    { ...none, pool: 'works', nodes: 1, slots: 4, silent: 1 },
  ])
})
