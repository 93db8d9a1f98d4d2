import { type ErrorCode, errorCodes, type Retry } from './errors.ts'

/** So many failed attempts end a task: by then it is the task's fault and not a node's. */
const maxFailedAttempts = 3

/**
 * How long a task waits before an address that failed it is asked again, ms: five tries within 25
 * seconds, which is longer than most servers take to start anew (decision 0082).
 */
const mediaRetryMs: readonly number[] = [1_000, 4_000, 10_000, 10_000]
/** Up to so much of a wait is added to it, so that tasks that failed together do not ask together. */
const jitter = 0.2
/** No address makes a job wait longer. */
const retryAfterMostMs = 60_000

/** `delayMs`: nobody is given the task earlier. `isOfNode`: another node may do better. */
export type AttemptVerdict =
  | { readonly verdict: 'retry'; readonly delayMs: number; readonly isOfNode: boolean }
  | { readonly verdict: 'end'; readonly message: string }

/**
 * What follows a failed attempt. `failures` counts it. A node does not get a task back that it
 * failed while another could try, so three failures are three nodes, or all there are.
 */
export function judgeFailure({
  code,
  message,
  failures,
  unreachable,
  retry = {},
  random = Math.random,
}: {
  code: ErrorCode
  message: string
  failures: number
  /** Attempts that a customer's address failed, this one included where it is such. */
  unreachable: number
  retry?: Retry | undefined
  random?: () => number
}): AttemptVerdict {
  if (!errorCodes[code].retryable) return { verdict: 'end', message }
  if (code === 'media_unreachable')
    return judgeMedia({ message, tries: unreachable, retry, random })
  if (failures < maxFailedAttempts) return { verdict: 'retry', delayMs: 0, isOfNode: true }
  if (errorCodes[code].blame === 'customer') return { verdict: 'end', message }
  return {
    verdict: 'end',
    message: `The work was tried ${failures} times and failed each time. The last time: ${message}`,
  }
}

/** What an address answered, every node would be answered: the same task waits and asks again. */
function judgeMedia({
  message,
  tries,
  retry: { triesMax = 0, afterMs = 0 },
  random,
}: {
  message: string
  tries: number
  retry: Retry
  random: () => number
}): AttemptVerdict {
  const wait = mediaRetryMs[tries - 1]
  if (wait === undefined || (triesMax > 0 && tries >= triesMax)) {
    const last = tries > 1 ? `${message}, at the last of ${tries} tries` : message
    return { verdict: 'end', message: last }
  }
  const least = Math.max(wait, Math.min(afterMs, retryAfterMostMs))
  return { verdict: 'retry', delayMs: least * (1 + jitter * random()), isOfNode: false }
}

/** A node's word for an error, or `internal` where it is none of ours. */
export function knownErrorCode(code: string): ErrorCode {
  return Object.hasOwn(errorCodes, code) ? (code as ErrorCode) : 'internal'
}
