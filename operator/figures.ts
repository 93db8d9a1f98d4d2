import { Type } from 'typebox'
import { readFleetFigures } from '../store/db/fleet/read-fleet-figures.ts'
import { read } from './operation.ts'

/** Equals the scheduler's limit (scheduler/context.ts). */
const liveMs = 30_000

const Rows = Type.Array(Type.Record(Type.String(), Type.Unknown()))

export const readFiguresOperation = read({
  ...{ id: 'operatorReadFigures', path: '/figures', role: 'viewer' },
  summary: 'Show the figures of the whole farm now',
  answer: Type.Object({
    queues: Rows,
    leases: Rows,
    nodes: Rows,
    limits: Rows,
    shares: Type.Array(Type.Number(), {
      description: 'Work that each waiting account received in a minute, by its weight',
    }),
    jobs: Rows,
    outbox: Type.Object({ unsent: Type.Integer(), oldestSeconds: Type.Number() }),
    deliveries: Type.Object({ pending: Type.Integer(), oldestUnstartedSeconds: Type.Number() }),
    doomedObjects: Type.Integer(),
  }),
  run: async ({ db }) => await readFleetFigures(db, { seenWithinMs: liveMs }),
})
