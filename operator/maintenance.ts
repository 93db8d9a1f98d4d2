import { type Static, Type } from 'typebox'
import { FarmError } from '../core/errors.ts'
import { text } from '../core/project/schema/fields.ts'
import type { Db } from '../store/db/database.ts'
import {
  addMaintenance,
  cancelMaintenance,
  listMaintenance,
  type MaintenanceTarget,
  type MaintenanceView,
} from '../store/db/fleet/maintenance-windows.ts'
import { act } from './act.ts'
import { requireNode } from './find.ts'
import { change, read } from './operation.ts'
import { noPoolName } from './pools.ts'
import { IdOrName, limitOf, Moment, Nullable, Time, Uuid } from './schemas.ts'

const most = 1_000
const usual = 50

const WindowSchema = Type.Object({
  id: Type.String({ format: 'uuid' }),
  nodeId: Nullable(Type.String({ description: 'Null: it is of a pool' })),
  node: Nullable(Type.String()),
  pool: Nullable(Type.String({ description: 'Empty: nodes without a pool; null: of one node' })),
  startsAt: Time,
  endsAt: Time,
  why: Type.String(),
  madeBy: Type.String(),
  cordoned: Type.Integer({ description: 'Nodes that it has cordoned' }),
  beganAt: Nullable(Time),
  cancelledAt: Nullable(Time),
  endedAt: Nullable(Time),
})

export const listMaintenanceOperation = read({
  ...{ id: 'operatorListMaintenance', path: '/maintenance', role: 'viewer' },
  summary: 'List maintenance windows: those to come and those that go on, then ended ones',
  query: Type.Object({ limit: limitOf(most, usual) }),
  answer: Type.Object({ windows: Type.Array(WindowSchema) }),
  run: async ({ db }, { limit = usual }) => ({ windows: await listMaintenance(db, { limit }) }),
})

const Window = Type.Object({
  node: Type.Optional(IdOrName),
  pool: Type.Optional({ ...text(100), description: 'All its nodes; empty: nodes without a pool' }),
  from: Type.Optional({ ...Moment, description: 'Absent: now' }),
  to: Moment,
})

export const addMaintenanceOperation = change({
  ...{ id: 'operatorAddMaintenance', path: '/maintenance', role: 'operator' },
  summary: 'Cordon a node or a pool from a time on, and uncordon it at another, without anybody',
  ...{ body: Window, answer: WindowSchema },
  async run({ db }, { from, to, why, ...given }, actor) {
    const { target, subject } = await targetOf(db, given)
    const now = new Date()
    const [startsAt, endsAt] = [from === undefined ? now : new Date(from), new Date(to)]
    // Also false for days that do not exist.
    if (!(endsAt > startsAt && endsAt > now)) {
      const message = `to must be in the future and after from. Got ${to}`
      throw new FarmError('invalid_value', message, { field: 'to' })
    }
    const what = `maintenance add ${startsAt.toISOString()} ${endsAt.toISOString()}`
    const window = { target, startsAt, endsAt, why, madeBy: actor }
    const id = await act(db, { what, subject, why, actor }, (tx) => addMaintenance(tx, window))
    return await requireWindow(db, id)
  },
})

export const cancelMaintenanceOperation = change({
  ...{ id: 'operatorCancelMaintenance', path: '/maintenance/:window/cancel', role: 'operator' },
  summary: 'Cancel a maintenance window; where it has begun, its nodes take work again at once',
  ...{ params: Type.Object({ window: Uuid }), answer: WindowSchema },
  async run({ db }, { window: id, why }, actor) {
    const { nodeId, pool } = await requireWindow(db, id)
    const subject = nodeId ?? (pool || noPoolName)
    await act(db, { what: `maintenance cancel ${id}`, subject, why, actor }, async (tx) => {
      if (await cancelMaintenance(tx, id)) return
      throw new FarmError('conflict', 'A window to cancel must not have ended. Got one that has')
    })
    return await requireWindow(db, id)
  },
})

async function targetOf(
  db: Db,
  { node, pool }: Pick<Static<typeof Window>, 'node' | 'pool'>,
): Promise<{ target: MaintenanceTarget; subject: string }> {
  if ((node === undefined) === (pool === undefined)) {
    const seen = node === undefined ? 'neither' : 'both'
    const message = `node or pool must say what is maintained, one of them. Got ${seen}`
    throw new FarmError('invalid_value', message, { field: 'node' })
  }
  if (pool !== undefined) return { target: { nodeId: null, pool }, subject: pool || noPoolName }
  const { id: nodeId } = await requireNode(db, node ?? '')
  return { target: { nodeId, pool: null }, subject: nodeId }
}

/** @throws FarmError when there is no such window */
async function requireWindow(db: Db, id: string): Promise<MaintenanceView> {
  const [window] = await listMaintenance(db, { id, limit: 1 })
  if (window) return window
  const rule = 'WINDOW must be the id of a maintenance window'
  throw new FarmError('not_found', `${rule}. Got ${id}, which does not exist`)
}
