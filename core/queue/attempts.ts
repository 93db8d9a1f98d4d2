import { type ErrorCode, errorCodes, type Retry } from '../errors.ts'

/** Failed attempts that end a task: by then the fault is the task's, not a node's. */
const maxFailedAttempts = 3

/**
 * Delays before an address that failed is tried again, ms: five tries within 25 seconds. Most
 * servers restart faster than that (decision 0082).
 */
const mediaRetryMs: readonly number[] = [1_000, 4_000, 10_000, 10_000]
/** Largest share of a delay that is added to it, so that tasks that failed together retry apart. */
const jitter = 0.2
/** Longest delay that an address can impose by Retry-After. */
const retryAfterMostMs = 60_000

/** `delayMs`: delay before the task may be leased again. `isOfNode`: another node may do better. */
export type AttemptVerdict =
  | { readonly verdict: 'retry'; readonly delayMs: number; readonly isOfNode: boolean }
  | { readonly verdict: 'end'; readonly message: string }

/**
 * Decides what follows a failed attempt. `failures` counts it. A node does not get a task back that
 * it failed while another could try. So three failures are three nodes, or all there are.
 */
export function decideRetry({
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
  /** Attempts that failed at a customer's address, this one included. */
  unreachable: number
  retry?: Retry | undefined
  random?: () => number
}): AttemptVerdict {
  if (!errorCodes[code].retryable) return { verdict: 'end', message }
  if (code === 'media_unreachable')
    return decideMediaRetry({ message, tries: unreachable, retry, random })
  if (failures < maxFailedAttempts) return { verdict: 'retry', delayMs: 0, isOfNode: true }
  if (errorCodes[code].blame === 'customer') return { verdict: 'end', message }
  return {
    verdict: 'end',
    message: `All ${failures} attempts failed. The last error: ${message}`,
  }
}

/** Retries the same task later: every node would get the same answer from the address. */
function decideMediaRetry({
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
    const last = tries > 1 ? `${message}, in the last of ${tries} attempts` : message
    return { verdict: 'end', message: last }
  }
  const least = Math.max(wait, Math.min(afterMs, retryAfterMostMs))
  return { verdict: 'retry', delayMs: least * (1 + jitter * random()), isOfNode: false }
}

/** Returns the node's error code, or `internal` where it is unknown here. */
export function knownErrorCode(code: string): ErrorCode {
  return Object.hasOwn(errorCodes, code) ? (code as ErrorCode) : 'internal'
}
