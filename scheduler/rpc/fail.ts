import { errorCodes } from '../../core/errors.ts'
import { knownErrorCode } from '../../core/queue/attempts.ts'
import type { FailRequest, FailResponse } from '../../proto/gen/farm/v1/node.ts'
import { type AttemptFailure, failTask } from '../../store/db/queue/fail-task.ts'
import { refuseTask } from '../../store/db/queue/refuse-task.ts'
import type { SchedulerContext } from '../context.ts'
import { answerCanary } from '../fleet/canary.ts'
import { answerOf, checkAttempt } from './checks.ts'

const messageLength = 2_000
const fieldLength = 500
const logLength = 16_000
/** Longest text about a failed canary in the node's history. */
const canaryLength = 500

/**
 * Fails an attempt: it is retried, or the task ends (core/queue/attempts.ts). A refused task goes to another
 * node and counts no failure.
 */
export async function fail(context: SchedulerContext, request: FailRequest): Promise<FailResponse> {
  const { db, log, metrics } = context
  const attempt = checkAttempt(request)
  const field = clean(request.field).slice(0, fieldLength)
  const failure = {
    code: knownErrorCode(request.code),
    message: clean(request.message).slice(0, messageLength) || 'The work failed.',
    logTail: clean(request.logTail).slice(-logLength),
    ...(field !== '' && { field }),
    retry: { triesMax: request.triesMax, afterMs: request.retryAfterMs },
  }
  const { refused } = request
  const failed = await (refused ? refuseTask : failTask)(db, { ...attempt, failure })
  if (failed.status === 'unknown') {
    const canary = {
      ...{ nodeId: attempt.nodeId, canaryId: attempt.taskId },
      failure: `${failure.message} ${failure.logTail}`
        .replaceAll(/\s+/g, ' ')
        .trim()
        .slice(0, canaryLength),
    }
    if (await answerCanary(context, canary)) return { retried: false }
  }
  const job = 'answer' in failed ? failed.answer.jobId : undefined
  const shown = { ...attempt, job, ...shownOf(failure), standing: failed.status }
  log.warn(shown, refused ? 'a node refused a task' : 'attempt failed')
  const { kind, retried } = answerOf(failed)
  if (failed.status === 'current' && !refused)
    metrics.failed(kind, { reason: failure.code, retried })
  return { retried }
}

/** Leaves out the words of an error that may quote a project: they are in the attempt's row. */
function shownOf({ logTail: _, message: __, ...shown }: AttemptFailure) {
  return { ...shown, blame: errorCodes[shown.code].blame }
}

/** Removes characters that Postgres cannot store: a failure is never refused for its text. */
function clean(text: string): string {
  return text.replaceAll('\0', '')
}
