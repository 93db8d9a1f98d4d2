import test from 'ava'
import { sql } from 'kysely'
import { keepMaintenance } from '../../../../store/db/fleet/keep-maintenance.ts'
import { listActs } from '../../../../store/db/fleet/list-acts.ts'
import {
  addMaintenance,
  cancelMaintenance,
  listMaintenance,
  type MaintenanceTarget,
} from '../../../../store/db/fleet/maintenance-windows.ts'
import { moveNode } from '../../../../store/db/fleet/move-node.ts'
import { addNode, startDatabase } from '../../database.ts'

const { db, stop } = await startDatabase()
test.after.always(stop)
test.serial.afterEach.always(async () => {
  await sql`delete from maintenance_windows`.execute(db)
})

const hour = 3_600_000
const inHours = (hours: number) => new Date(Date.now() + hours * hour)
const of = (nodeId: string): MaintenanceTarget => ({ nodeId, pool: null })

async function plan(target: MaintenanceTarget, { from = -1, to = 1 } = {}): Promise<string> {
  const window = { startsAt: inHours(from), endsAt: inHours(to), why: 'new disks', madeBy: 'ada' }
  return await addMaintenance(db, { target, ...window })
}

/** Makes a window's end pass. */
async function end(id: string): Promise<void> {
  await sql`update maintenance_windows set ends_at = now() - interval '1 second'
    where id = ${id}`.execute(db)
  await keepMaintenance(db)
}

async function nodeOf(id: string) {
  return await db
    .selectFrom('nodes')
    .select(['state', 'state_reason as reason'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
}
const stateOf = async (id: string) => (await nodeOf(id)).state
const actsOf = async (subject: string) =>
  (await listActs(db, { limit: 9, subject })).map(({ actor, act, why }) => [actor, act, why])

test.serial('a window cordons its node at first and uncordons it at last', async (t) => {
  const node = await addNode(db)
  const id = await plan(of(node), { from: 1, to: 2 })
  await keepMaintenance(db)
  t.is(await stateOf(node), 'active', 'it has not begun')
  await sql`update maintenance_windows set starts_at = now() - interval '1 hour'`.execute(db)
  await keepMaintenance(db)
  t.regex((await nodeOf(node)).reason, /^maintenance until 20.*Z: new disks$/)
  t.is(await stateOf(node), 'cordoned')
  t.like((await listMaintenance(db, { limit: 9 }))[0], { cordoned: 1, endedAt: null })
  await end(id)
  t.is(await stateOf(node), 'active')
  t.truthy((await listMaintenance(db, { limit: 9 }))[0]?.endedAt)
  t.deepEqual(await actsOf(node), [
    ['(maintenance)', 'nodes uncordon', 'new disks'],
    ['(maintenance)', 'nodes cordon', 'new disks'],
  ])
})

test.serial('a window of a pool cordons nodes that join, and no others', async (t) => {
  const [one, other] = [await addNode(db, { pool: 'gpu' }), await addNode(db, { pool: 'cpu' })]
  const id = await plan({ nodeId: null, pool: 'gpu' })
  await keepMaintenance(db)
  const late = await addNode(db, { pool: 'gpu' })
  await keepMaintenance(db)
  t.deepEqual(
    [await stateOf(one), await stateOf(late), await stateOf(other)],
    ['cordoned', 'cordoned', 'active'],
  )
  await end(id)
  t.deepEqual([await stateOf(one), await stateOf(late)], ['active', 'active'])
})

test.serial('what operators decide about a node outlives a window', async (t) => {
  const [before, within, quarantined, freed] = [
    await addNode(db, { pool: 'x' }),
    await addNode(db, { pool: 'x' }),
    await addNode(db, { pool: 'x' }),
    await addNode(db, { pool: 'x' }),
  ]
  await moveNode(db, { nodeId: before, act: 'cordon', reason: 'by hand' })
  await moveNode(db, { nodeId: quarantined, act: 'quarantine', reason: 'it fails' })
  const id = await plan({ nodeId: null, pool: 'x' })
  await keepMaintenance(db)
  t.is(await stateOf(quarantined), 'quarantined')
  for (const nodeId of [within, freed]) {
    await moveNode(db, { nodeId, act: 'uncordon', reason: 'it is needed' })
  }
  await moveNode(db, { nodeId: within, act: 'cordon', reason: 'it is not' })
  await keepMaintenance(db)
  t.is(await stateOf(freed), 'active', 'it is not cordoned again')
  await end(id)
  t.is(await stateOf(before), 'cordoned')
  t.is(await stateOf(within), 'cordoned')
  t.is(await stateOf(quarantined), 'quarantined')
})

test.serial('a cancelled window frees its nodes, one to come never begins', async (t) => {
  const node = await addNode(db)
  const [open, later] = [await plan(of(node)), await plan(of(node), { from: 1, to: 2 })]
  await keepMaintenance(db)
  t.true(await cancelMaintenance(db, open))
  t.true(await cancelMaintenance(db, later))
  t.false(await cancelMaintenance(db, later))
  await keepMaintenance(db)
  t.is(await stateOf(node), 'active')
  await sql`update maintenance_windows set starts_at = now() - interval '1 minute'`.execute(db)
  await keepMaintenance(db)
  t.is(await stateOf(node), 'active')
})

test.serial('a node in two windows stays cordoned until the later one ends', async (t) => {
  const node = await addNode(db)
  const first = await plan(of(node))
  await keepMaintenance(db)
  const second = await plan(of(node), { to: 3 })
  await keepMaintenance(db)
  await end(first)
  t.is(await stateOf(node), 'cordoned')
  await end(second)
  t.is(await stateOf(node), 'active')
})

test.serial('schedulers that keep windows at once cordon each node once', async (t) => {
  const node = await addNode(db)
  await plan(of(node))
  await Promise.all(Array.from({ length: 8 }, () => keepMaintenance(db)))
  t.is((await actsOf(node)).length, 1)
})
