import type { CompleteRequest, CompleteResponse } from '../proto/gen/farm/v1/node.ts'
import { completeTask } from '../store/db/statements/complete-task.ts'
import { answerOf, checkAttempt } from './checks.ts'
import type { SchedulerContext } from './context.ts'

/** The node is done. Any number of equal calls have one effect. */
export async function complete(
  { db, log }: SchedulerContext,
  request: CompleteRequest,
): Promise<CompleteResponse> {
  const attempt = checkAttempt(request)
  const completed = await completeTask(db, { ...attempt, result: request.result ?? {} })
  log.info({ ...attempt, standing: completed.standing }, 'task completed')
  answerOf(completed)
  return {}
}
