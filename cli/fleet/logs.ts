import { Value } from 'typebox/value'
import { StageSeconds } from '../../core/queue/tasks.ts'
import { readBaseUrl, readSecret } from '../../runtime/env.ts'
import { type AttemptView, listAttempts } from '../../store/db/queue/list-attempts.ts'
import { taskLogKey } from '../../store/objects/keys.ts'
import { ObjectMissingError } from '../../store/objects/object-store.ts'
import { openObjectStore, readObjectsUrl } from '../../store/objects/open.ts'
import { operate } from '../accounts/operate.ts'
import { Failure } from '../failure.ts'

/** A task has at most a few attempts; stragglers and drained nodes add some. */
const attemptsMax = 100

/**
 * `farm logs TASK`: the node's log of the latest attempt, or of the given one. A completed attempt
 * has none, nor has one whose node died; the farm's own facts are shown then.
 */
export async function showLog({
  task,
  attempt,
  json,
}: {
  task: string
  attempt?: number
  json?: boolean
}): Promise<void> {
  const env = process.env
  const publicUrl = readBaseUrl({ FARM_PUBLIC_URL: 'http://localhost', ...env }, 'FARM_PUBLIC_URL')
  const secret = env.FARM_SECRET ? readSecret(env, 'FARM_SECRET', 16) : 'reads nothing signed'
  const objects = openObjectStore(readObjectsUrl(env), { publicUrl, secret })
  await operate(json, async (db) => {
    const attempts = await listAttempts(db, { of: 'task', id: task, limit: attemptsMax })
    const found = attempts.find((each) => attempt === undefined || each.attempt === attempt)
    if (!found) {
      const known = attempts.map((each) => each.attempt).join(', ') || 'none'
      throw new Failure(
        `TASK must have the given attempt. Got ${task}, which has the attempts ${known}`,
      )
    }
    const key = taskLogKey({ accountId: found.accountId, taskId: task, attempt: found.attempt })
    const text = await objects.read(key).then(String, (error: unknown) => {
      if (error instanceof ObjectMissingError) return undefined
      throw error
    })
    return { json: { ...found, log: text ?? null }, text: (text ?? withoutLog(found)).trimEnd() }
  })
}

function withoutLog({ node, state, seconds, stages, error, logTail }: AttemptView): string {
  if (state === 'completed') {
    // Reported by the node, and unchecked if it was not for a job.
    const known = Value.Check(StageSeconds, stages) ? stages : {}
    const each = Object.entries(known).map(([stage, took]) => `${stage} ${took.toFixed(2)}`)
    const times = [`${seconds.toFixed(2)} s`, ...(each.length > 0 ? [each.join(', ')] : [])]
    const why = 'No log is stored: the task logged nothing, or the files of its job were removed.'
    return `The attempt on ${node} succeeded. It took ${times.join(': ')}\n${why}`
  }
  const why = error ? `: ${error.message}\n${logTail ?? ''}` : ''
  return `No log was stored. The attempt on ${node} is ${state}${why}`
}
