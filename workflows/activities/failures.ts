import { ApplicationFailure } from '@temporalio/common'
import { type ErrorCode, errorCodes, FarmError } from '../../core/errors.ts'

/** Defects repeat however often they are tried; anything else may be the surroundings. */
const defects = [TypeError, RangeError, ReferenceError, SyntaxError]

/** Postgres' classes of errors that the statement itself is to blame for. */
const statementFaults = /^(?:22|23|42)/

/**
 * Makes what an activity throws readable for the workflow: the type is a code of core/errors.ts,
 * the first detail is the faults. What may pass (a server away) stays an error that is tried again.
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
 * Of the farm's own faults all but `internal` come from the surroundings. Those of a full store do
 * not pass while a job waits for them.
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
