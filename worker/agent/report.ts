import type { Log } from '../../runtime/log.ts'
import { isAway, isFinal } from './scheduler-client.ts'

/**
 * Most failures that a reachable scheduler may answer before the report is dropped. That ends the
 * renewals, so the lease expires and the task goes to another node.
 */
const answersMax = 120

/**
 * Sends an outcome until a scheduler accepts it, refuses it for good, or `signal` aborts. It
 * retries for hours while none answers. Memory is bounded: one outcome of less than 1 MB for each
 * held task, which still counts against the node's slots.
 */
export async function report(
  send: () => Promise<unknown>,
  {
    signal,
    pause,
    log,
  }: {
    readonly signal: AbortSignal
    /**
     * Waits before the next try, at most until the signal aborts. `failures`: tries so far, less
     * one.
     */
    readonly pause: (failures: number) => Promise<void>
    /** Log of the attempt. */
    readonly log: Log
  },
): Promise<void> {
  for (let failures = 0, answers = 0; !signal.aborted; failures += 1) {
    try {
      await send()
      return
    } catch (error) {
      if (isFinal(error)) return log.warn({ err: error }, 'the outcome was refused')
      if (!isAway(error)) answers += 1
      if (answers >= answersMax) return log.error({ err: error }, 'the outcome is dropped')
      if (failures === 0) log.warn({ err: error }, 'reporting the outcome failed; retrying')
      await pause(failures)
    }
  }
}
