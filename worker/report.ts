import type { Log } from '../runtime/log.ts'
import { isAway, isFinal } from './scheduler-client.ts'

/**
 * A scheduler that answers, and fails at a report so often, will go on failing. Dropping the report
 * ends the renewals, so the lease ends and the task goes to another node.
 */
const answersMax = 120

/**
 * Tells an outcome until a scheduler takes it, refuses it for good, or `signal` ends the wait: for as
 * long as none answers, which may be hours. What is kept meanwhile is one outcome for each task that
 * the node holds: it still counts against the node's slots, and a message is under 1 MB.
 */
export async function report(
  tell: () => Promise<unknown>,
  {
    signal,
    pause,
    log,
  }: {
    readonly signal: AbortSignal
    /** Waits before the next try, not beyond the signal. `failures`: tries so far, less one. */
    readonly pause: (failures: number) => Promise<void>
    /** Names the attempt. */
    readonly log: Log
  },
): Promise<void> {
  for (let failures = 0, answers = 0; !signal.aborted; failures += 1) {
    try {
      await tell()
      return
    } catch (error) {
      if (isFinal(error)) return log.warn({ err: error }, 'the outcome was refused')
      if (!isAway(error)) answers += 1
      if (answers >= answersMax) return log.error({ err: error }, 'the outcome is dropped')
      if (failures === 0) log.warn({ err: error }, 'the outcome is told again')
      await pause(failures)
    }
  }
}
