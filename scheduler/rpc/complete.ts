import type { CompleteRequest, CompleteResponse } from '../../proto/gen/farm/v1/node.ts'
import type { SchedulerContext } from '../context.ts'
import { blameNodes } from '../fleet/blame.ts'
import { answerCanary } from '../fleet/canary.ts'
import { answerOf, checkAttempt, checkResult } from './checks.ts'

/** Completes an attempt. Any number of equal calls have one effect. */
export async function complete(
  context: SchedulerContext,
  request: CompleteRequest,
): Promise<CompleteResponse> {
  const { batches, log, metrics } = context
  const attempt = checkAttempt(request)
  const result = checkResult(request.result)
  const completed = await batches.completions.submit({ ...attempt, result })
  if (completed.status === 'unknown') {
    const canary = { nodeId: attempt.nodeId, canaryId: attempt.taskId, result }
    if (await answerCanary(context, canary)) return {}
  }
  const { status } = completed
  const job = 'answer' in completed ? completed.answer.jobId : undefined
  log.info({ ...attempt, job, status }, 'task completed')
  const { kind, failedNodes } = answerOf(completed)
  if (status !== 'current') return {}
  metrics.completed(kind)
  await blameNodes(context, failedNodes)
  return {}
}
