import { ApplicationFailure } from '@temporalio/common'
import { type ErrorCode, errorCodes, FarmError } from '../../core/errors.ts'

/** Defects fail on every try; any other error may come from the environment. */
const defects = [TypeError, RangeError, ReferenceError, SyntaxError]

/** Postgres error classes that the statement itself causes. */
const statementFaults = /^(?:22|23|42)/

/**
 * Turns an error of an activity into a failure that the workflow can read: its type is a code of
 * core/errors.ts, its first detail the faults. A transient error (a server is away) stays as it is
 * and is retried.
 */
export function asFailure(error: unknown): unknown {
  if (error instanceof FarmError) {
    const { code, message, field, details } = error
    const own = field === undefined ? [] : [{ field, code, message }]
    return ApplicationFailure.create({
      type: code,
      message,
      nonRetryable: !mayPass(code),
      details: [details.length > 0 ? details : own],
    })
  }
  if (isDefect(error)) {
    return ApplicationFailure.create({
      type: 'internal',
      message: 'The farm could not work on this job',
      nonRetryable: true,
      ...(error instanceof Error && { cause: error }),
    })
  }
  return error
}

/**
 * Answers whether an error of the farm may pass. All but `internal` are transient; a full store
 * does not empty while a job waits for it.
 */
function mayPass(code: ErrorCode): boolean {
  const { retryable, blame } = errorCodes[code]
  return retryable && blame === 'farm' && code !== 'internal' && code !== 'disk_full'
}

function isDefect(error: unknown): boolean {
  if (defects.some((kind) => error instanceof kind)) return true
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return code.length === 5 && statementFaults.test(code)
}
