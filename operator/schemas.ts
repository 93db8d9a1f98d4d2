import { type TSchema, Type } from 'typebox'
import { nodeStates } from '../core/fleet/node-states.ts'
import { jobStages, jobStates } from '../core/jobs/jobs.ts'
import { text } from '../core/project/schema/fields.ts'
import { priorities } from '../core/queue/shares.ts'

const hex = '[0-9A-Fa-f]'
export const Uuid = Type.String({
  pattern: `^${hex}{8}-${hex}{4}-${hex}{4}-${hex}{4}-${hex}{12}$`,
  title: 'a UUID',
})
/** The id or the name of an account, a node, … in a path. */
export const IdOrName = Type.Unsafe<string>({ ...text(200, 1), title: 'an id or a name' })
export const Time = Type.String({ format: 'date-time' })
/** A time in a body, with its zone. */
export const Moment = Type.String({
  pattern:
    '^2[0-9]{3}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|[+-][0-2][0-9]:[0-5][0-9])$',
  title: 'a time with its zone like 2030-01-31T22:00:00+01:00',
})
export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])
export const Name = text(100, 1)

export function limitOf(most: number, usual: number) {
  return Type.Optional(
    Type.Integer({ minimum: 1, maximum: most, description: `Most entries; ${usual} if absent` }),
  )
}

export const ErrorView = Type.Object({
  code: Type.String(),
  message: Type.String(),
  details: Type.Optional(Type.Array(Type.Record(Type.String(), Type.Unknown()))),
  field: Type.Optional(Type.String()),
})

export const NodeSchema = Type.Object({
  id: Type.String(),
  name: Type.String(),
  version: Type.String(),
  state: Type.Enum([...nodeStates]),
  stateReason: Type.String(),
  stateSince: Time,
  pause: Type.String({ description: 'Reason of the node for taking no work now; empty without' }),
  offer: Type.Record(Type.String(), Type.Unknown(), {
    description: 'Offer of the node: kinds of tasks, slots, encoders, canvas, pool, tags, sizes',
  }),
  usage: Nullable(
    Type.Object(
      {
        cpu: Type.Number({ description: 'Busy share of the processor, 0 to 1' }),
        memoryUsedMb: Type.Integer(),
        memoryMb: Type.Integer(),
        diskUsedMb: Type.Integer(),
        diskMb: Type.Integer(),
      },
      { description: 'As it told it last; sizes in MB (2^20 bytes). Null: it tells none' },
    ),
  ),
  running: Type.Integer({ description: 'Tasks that it runs now' }),
  succeeded: Type.Integer({ description: 'Attempts that succeeded in the last hour' }),
  failed: Type.Integer({ description: 'Attempts that failed or were lost in the last hour' }),
  silentSeconds: Type.Number({ description: 'Seconds since it spoke last' }),
})

export const AttemptSchema = Type.Object({
  taskId: Type.String({ format: 'uuid' }),
  attempt: Type.Integer(),
  task: Type.String(),
  kind: Type.String(),
  url: Nullable(Type.String({ description: 'Medium that it fetches, without its query' })),
  jobId: Type.String({ format: 'uuid' }),
  accountId: Type.String({ format: 'uuid' }),
  node: Type.String(),
  state: Type.String(),
  framesDone: Type.Integer(),
  leasedAt: Time,
  seconds: Type.Number(),
  error: Nullable(ErrorView),
  logTail: Nullable(Type.String()),
  stages: Type.Unknown({ description: 'Seconds of each stage, as the node reported them' }),
})

export const JobSchema = Type.Object({
  id: Type.String({ format: 'uuid' }),
  accountId: Type.String({ format: 'uuid' }),
  account: Type.String(),
  name: Type.String(),
  state: Type.Enum([...jobStates]),
  stateReason: Type.String(),
  stage: Nullable(Type.Enum([...jobStages])),
  priority: Type.Enum([...priorities]),
  queued: Type.Integer(),
  running: Type.Integer(),
  heldAt: Nullable(Time),
  holdReason: Type.String({ description: 'Reason of the operator who holds it; empty without' }),
  error: Nullable(ErrorView),
  createdAt: Time,
  finishedAt: Nullable(Time),
})

export const ActSchema = Type.Object({
  id: Type.Integer(),
  at: Time,
  actor: Type.String(),
  act: Type.String(),
  subject: Type.String(),
  why: Type.String(),
})

export const AccountSchema = Type.Object({
  id: Type.String({ format: 'uuid' }),
  name: Type.String(),
  plan: Type.String(),
  creditsBalance: Type.Integer(),
  creditsReserved: Type.Integer(),
  createdAt: Time,
  suspendedAt: Nullable(Time),
  closedAt: Nullable(Time),
})

export const ShareSchema = Type.Object({
  id: Type.String({ format: 'uuid' }),
  name: Type.String(),
  plan: Type.String(),
  weight: Type.Number(),
  guaranteed: Type.Integer(),
  burst: Type.Integer(),
  running: Type.Integer(),
  pool: Nullable(Type.String()),
  tags: Type.Array(Type.String()),
})
