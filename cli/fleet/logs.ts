import { Value } from 'typebox/value'
import { StageSeconds } from '../../core/queue/tasks.ts'
import { readLogOperation } from '../../operator/logs.ts'
import type { AttemptView } from '../../store/db/queue/list-attempts.ts'
import { operateFarm } from '../accounts/operate.ts'

/**
 * `farm logs TASK`: the node's log of the latest attempt, or of the given one. A completed attempt
 * has none, nor has one whose node died; the farm's own facts are shown then.
 */
export async function showLog({
  json,
  ...asked
}: {
  task: string
  attempt?: number
  json?: boolean
}): Promise<void> {
  await operateFarm({ json }, async (farm) => {
    const found = await farm.run(readLogOperation, asked)
    return { json: found, text: (found.log ?? withoutLog(found)).trimEnd() }
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
