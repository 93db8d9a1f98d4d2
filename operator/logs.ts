import { Type } from 'typebox'
import { FarmError } from '../core/errors.ts'
import { followLog, type LiveLog } from '../store/db/queue/follow-log.ts'
import { taskLogKey } from '../store/objects/keys.ts'
import { ObjectMissingError, type ObjectStore } from '../store/objects/object-store.ts'
import { attemptsOf } from './attempts.ts'
import { read } from './operation.ts'
import { AttemptSchema, Nullable, Uuid } from './schemas.ts'

/** A task has at most a few attempts; stragglers and drained nodes add some. */
const attemptsMax = 100
const lineEnd = '\n'
/** Values of the column that counts lines. */
const lineNumbers = { minimum: 0, maximum: 2_147_483_647 }

export const readLogOperation = read({
  ...{ id: 'operatorReadLog', path: '/tasks/:task/log', role: 'viewer' },
  summary:
    'Show the node’s log of the latest attempt at a task, or of the given one; while it runs, as far as the node has told it',
  params: Type.Object({ task: Uuid }),
  query: Type.Object({
    attempt: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
    kilobytes: Type.Optional(
      Type.Integer({
        ...{ minimum: 1, maximum: 1_000_000, description: 'Of a stored one, only its end' },
      }),
    ),
    after: Type.Optional(
      Type.Integer({ ...lineNumbers, description: 'Of a running attempt, only lines after these' }),
    ),
  }),
  answer: Type.Interface([AttemptSchema], {
    log: Nullable(Type.String({ description: 'Null: none is stored' })),
    logBytes: Type.Integer({ description: 'Size of the whole log' }),
    live: Nullable(
      Type.Object(
        {
          from: Type.Integer({ ...lineNumbers, description: 'Number of the first line of `log`' }),
          lines: Type.Integer({
            ...lineNumbers,
            description: 'Lines so far: give it as `after` to get those that come',
          }),
          isOver: Type.Boolean({
            description:
              'True: nothing more comes. A node may store its log up to a minute after the end',
          }),
        },
        {
          description:
            'Where the log is what the node has told while the attempt ran. Null: it is the whole one',
        },
      ),
    ),
  }),
  async run({ db, objects }, { task, attempt, kilobytes, after }) {
    const attempts = await attemptsOf(db, { of: 'task', id: task, limit: attemptsMax })
    const found = attempts.find((each) => attempt === undefined || each.attempt === attempt)
    if (!found) {
      const known = attempts.map((each) => each.attempt).join(', ') || 'none'
      const rule = 'TASK must have the given attempt'
      throw new FarmError('not_found', `${rule}. Got ${task}, which has the attempts ${known}`)
    }
    const key = taskLogKey({ accountId: found.accountId, taskId: task, attempt: found.attempt })
    const isRunning = found.state === 'running'
    const stored = isRunning ? null : await readIfThere(objects(), key)
    if (stored)
      return { ...found, log: endOf(stored, kilobytes), logBytes: stored.length, live: null }
    const told = await followLog(db, { taskId: task, attempt: found.attempt })
    if (!told || (told.lines === 0 && !isRunning)) {
      return { ...found, log: null, logBytes: 0, live: null }
    }
    const { log, from } = linesAfter(told, after)
    const live = { from, lines: told.lines, isOver: told.isOver }
    return { ...found, log, logBytes: Buffer.byteLength(log), live }
  },
})

async function readIfThere(
  objects: Pick<ObjectStore, 'read'>,
  key: string,
): Promise<Buffer | null> {
  return await objects.read(key).catch((error: unknown) => {
    if (error instanceof ObjectMissingError) return null
    throw error
  })
}

/** Returns the lines that come after `after`, and the number of the first that is kept of them. */
function linesAfter({ log, lines }: LiveLog, after = 0): { log: string; from: number } {
  const kept = log.split(lineEnd).slice(0, -1)
  const first = lines - kept.length
  const from = Math.min(Math.max(first, after), lines)
  const text = kept.slice(from - first).map((line) => line + lineEnd)
  return { log: text.join(''), from }
}

/** Returns the last whole lines within some kilobytes; absent: all. */
function endOf(log: Buffer, kilobytes = Number.POSITIVE_INFINITY): string {
  const from = log.length - kilobytes * 1000
  if (from <= 0) return log.toString()
  return log.subarray(log.indexOf(lineEnd, from - 1) + 1).toString()
}
