import { Type } from 'typebox'
import { FarmError } from '../core/errors.ts'
import { taskLogKey } from '../store/objects/keys.ts'
import { ObjectMissingError } from '../store/objects/object-store.ts'
import { attemptsOf } from './attempts.ts'
import { read } from './operation.ts'
import { AttemptSchema, Nullable, Uuid } from './schemas.ts'

/** A task has at most a few attempts; stragglers and drained nodes add some. */
const attemptsMax = 100

export const readLogOperation = read({
  ...{ id: 'operatorReadLog', path: '/tasks/:task/log', role: 'viewer' },
  summary: 'Show the node’s log of the latest attempt at a task, or of the given one',
  params: Type.Object({ task: Uuid }),
  query: Type.Object({
    attempt: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
    kilobytes: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Only its end' }),
    ),
  }),
  answer: Type.Interface([AttemptSchema], {
    log: Nullable(Type.String({ description: 'Null: none is stored' })),
    logBytes: Type.Integer({ description: 'Size of the whole log' }),
  }),
  async run({ db, objects }, { task, attempt, kilobytes }) {
    const attempts = await attemptsOf(db, { of: 'task', id: task, limit: attemptsMax })
    const found = attempts.find((each) => attempt === undefined || each.attempt === attempt)
    if (!found) {
      const known = attempts.map((each) => each.attempt).join(', ') || 'none'
      const rule = 'TASK must have the given attempt'
      throw new FarmError('not_found', `${rule}. Got ${task}, which has the attempts ${known}`)
    }
    const key = taskLogKey({ accountId: found.accountId, taskId: task, attempt: found.attempt })
    const log = await objects()
      .read(key)
      .catch((error: unknown) => {
        if (error instanceof ObjectMissingError) return null
        throw error
      })
    return { ...found, log: log && endOf(log, kilobytes), logBytes: log?.length ?? 0 }
  },
})

/** Returns the last whole lines within some kilobytes; absent: all. */
function endOf(log: Buffer, kilobytes = Number.POSITIVE_INFINITY): string {
  const from = log.length - kilobytes * 1000
  if (from <= 0) return log.toString()
  return log.subarray(log.indexOf('\n', from - 1) + 1).toString()
}
