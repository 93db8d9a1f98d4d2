import { type ErrorCode, errorCodes } from './errors.ts'

/** So many failed attempts end a task: by then it is the task's fault and not a node's. */
const maxFailedAttempts = 3

export type AttemptVerdict =
  | { readonly verdict: 'retry' }
  | { readonly verdict: 'end'; readonly message: string }

/**
 * What follows a failed attempt. `failures` counts it. A node does not get a task back that it
 * failed while another could try, so three failures are three nodes, or all there are.
 */
export function judgeFailure({
  code,
  message,
  failures,
}: {
  code: ErrorCode
  message: string
  failures: number
}): AttemptVerdict {
  if (!errorCodes[code].retryable) return { verdict: 'end', message }
  if (failures < maxFailedAttempts) return { verdict: 'retry' }
  if (errorCodes[code].blame === 'customer') return { verdict: 'end', message }
  return {
    verdict: 'end',
    message: `The work was tried ${failures} times and failed each time. The last time: ${message}`,
  }
}

/** A node's word for an error, or `internal` where it is none of ours. */
export function knownErrorCode(code: string): ErrorCode {
  return Object.hasOwn(errorCodes, code) ? (code as ErrorCode) : 'internal'
}
