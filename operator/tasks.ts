import { Type } from 'typebox'
import { FarmError } from '../core/errors.ts'
import type { Db } from '../store/db/database.ts'
import { handBackTasks } from '../store/db/queue/hand-back-tasks.ts'
import { retryTask } from '../store/db/queue/retry-task.ts'
import { act } from './act.ts'
import { requireJob } from './find.ts'
import { change } from './operation.ts'
import { JobSchema, Uuid } from './schemas.ts'

const task = Type.Object({ task: Uuid })
const base = { role: 'operator', answer: JobSchema } as const

export const retryTaskOperation = change({
  ...{ ...base, id: 'operatorRetryTask', path: '/tasks/:task/retry', params: task },
  summary: 'Let a queued task begin now, whatever delay or failures it has behind it',
  async run({ db }, { task: taskId, why }, actor) {
    const jobId = await jobOfTask(db, taskId)
    await act(db, { what: 'tasks retry', subject: taskId, why, actor }, async (tx) => {
      const state = await retryTask(tx, taskId)
      if (state === 'queued') return
      const hint = state === 'failed' ? '; its job has ended, so retry the job' : ''
      throw new FarmError('conflict', `A task to retry must be queued. Got ${state}${hint}`)
    })
    return await requireJob(db, jobId)
  },
})

export const endAttemptOperation = change({
  ...{ ...base, id: 'operatorEndAttempt', path: '/tasks/:task/attempts/:attempt/end' },
  summary: 'End a running attempt; its task returns to the queue, and nothing counts as a failure',
  params: Type.Interface([task], { attempt: Type.Integer({ minimum: 1, maximum: 1_000_000 }) }),
  async run({ db }, { task: taskId, attempt, why }, actor) {
    const jobId = await jobOfTask(db, taskId)
    const done = { what: `tasks end ${attempt}`, subject: taskId, why, actor }
    await act(db, done, async (tx) => {
      const held = await tx
        .selectFrom('attempts')
        .select(['node_id as nodeId', 'state'])
        .where('task_id', '=', taskId)
        .where('attempt', '=', attempt)
        .executeTakeFirst()
      const attempts = [{ taskId, attempt }]
      if (held && (await handBackTasks(tx, { nodeId: held.nodeId, attempts })) > 0) return
      const seen = held?.state ?? 'no such attempt'
      throw new FarmError('conflict', `An attempt to end must be running. Got ${seen}`)
    })
    return await requireJob(db, jobId)
  },
})

/** @throws FarmError when there is no such task */
async function jobOfTask(db: Db, taskId: string): Promise<string> {
  const task = await db
    .selectFrom('tasks')
    .select('job_id as jobId')
    .where('id', '=', taskId)
    .executeTakeFirst()
  if (task) return task.jobId
  const rule = 'TASK must be the id of a task'
  throw new FarmError('not_found', `${rule}. Got ${taskId}, which does not exist`)
}
