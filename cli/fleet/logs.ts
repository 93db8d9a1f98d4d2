import { setTimeout as sleep } from 'node:timers/promises'
import { Value } from 'typebox/value'
import { printable } from '../../core/printable.ts'
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
    return { json: found, text: printable(found.log ?? withoutLog(found)).trimEnd() }
  })
}

/** Nodes tell new lines of a followed log as often. */
const everyMs = 1_000

/**
 * `farm logs TASK --follow`: prints the log of a running attempt as its node tells it, then the rest of
 * it as it was stored, and says how the attempt ended.
 */
export async function followLog(asked: {
  readonly task: string
  readonly attempt?: number
}): Promise<void> {
  await operateFarm({}, async (farm) => {
    let found = await farm.run(readLogOperation, asked)
    const { attempt } = found
    let after = 0
    let last: string | undefined
    for (;;) {
      const { log, live, state } = found
      const text = log === null || live ? log : restOf(log, last)
      if (live && live.from > after) say(`(${live.from - after} lines are not here)`)
      if (text) process.stdout.write(printable(text))
      last = text?.trimEnd().split('\n').at(-1) || last
      if (state !== 'running') return { json: found, text: printable(endOf(found, last)) }
      after = live?.lines ?? after
      await sleep(everyMs)
      found = await farm.run(readLogOperation, { ...asked, attempt, after })
    }
  })
}

/** Returns what comes after the last printed line; all of it where that is not found. */
function restOf(log: string, last: string | undefined): string {
  const at = last === undefined ? -1 : log.lastIndexOf(`${last}\n`)
  return at < 0 ? log : log.slice(at + (last ?? '').length + 1)
}

function endOf(found: AttemptView, last: string | undefined): string {
  if (last === undefined) return withoutLog(found).trimEnd()
  const { node, state, seconds } = found
  return `The attempt on ${node} is ${state} after ${seconds.toFixed(2)} s`
}

function say(line: string): void {
  process.stderr.write(`farm: ${line}\n`)
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
