import { Type } from 'typebox'
import { nodeLiveMs, nodeStates } from '../core/fleet/node-states.ts'
import { jobStates } from '../core/jobs/jobs.ts'
import type { Db } from '../store/db/database.ts'
import { type FleetFigures, readFleetFigures } from '../store/db/fleet/read-fleet-figures.ts'
import { read } from './operation.ts'
import { Nullable } from './schemas.ts'

const Queue = Type.Object({
  pool: Nullable(Type.String({ description: 'Null: any pool' })),
  kind: Type.String(),
  tasks: Type.Integer(),
  unmatched: Type.Integer({ description: 'Tasks that no node which takes work could take' }),
  oldestSeconds: Type.Number(),
})
const Lease = Type.Object({
  pool: Type.String(),
  kind: Type.String(),
  running: Type.Integer(),
  encoderSessions: Type.Integer(),
})
const Nodes = Type.Object({
  pool: Type.String(),
  state: Type.Enum([...nodeStates, 'paused', 'silent']),
  nodes: Type.Integer(),
  slots: Type.Integer(),
  encoderSessions: Type.Integer(),
})

export const readFiguresOperation = read({
  ...{ id: 'operatorReadFigures', path: '/figures', role: 'viewer' },
  summary: 'Show the figures of the whole farm now',
  answer: Type.Object({
    queues: Type.Array(Queue),
    leases: Type.Array(Lease),
    nodes: Type.Array(Nodes),
    limits: Type.Array(Type.Object({ pool: Type.String(), slots: Type.Integer() })),
    shares: Type.Array(Type.Number(), {
      description: 'Work that each waiting account received in a minute, by its weight',
    }),
    jobs: Type.Array(Type.Object({ state: Type.Enum([...jobStates]), jobs: Type.Integer() })),
    outbox: Type.Object({ unsent: Type.Integer(), oldestSeconds: Type.Number() }),
    deliveries: Type.Object({ pending: Type.Integer(), oldestUnstartedSeconds: Type.Number() }),
    doomedObjects: Type.Integer(),
  }),
  run: async ({ db }) => await readShared(db),
})

/** Figures of this age are answered again: pages of many operators ask every two seconds. */
const freshMs = 1_000

type Reading = { readonly at: number; readonly figures: Promise<FleetFigures> }
const readings = new WeakMap<Db, Reading>()

/** Reads the figures, by one statement a second however many ask. */
async function readShared(db: Db): Promise<FleetFigures> {
  const last = readings.get(db)
  if (last && performance.now() - last.at < freshMs) return await last.figures
  const figures = readFleetFigures(db, { seenWithinMs: nodeLiveMs })
  const reading = { at: performance.now(), figures }
  readings.set(db, reading)
  try {
    return await figures
  } catch (error) {
    // The next one that asks tries again.
    if (readings.get(db) === reading) readings.delete(db)
    throw error
  }
}
