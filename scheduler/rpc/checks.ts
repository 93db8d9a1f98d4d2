import { status } from '@grpc/grpc-js'
import { jsonb } from '../../store/db/jsonb.ts'
import type { Attempt, AttemptStatus } from '../../store/db/queue/lock-attempt.ts'
import { RpcError } from './unary.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const maxAttempt = 1_000_000

/** The farm's rules for nodes' messages; a node may be compromised. */
export function checkUuid(name: string, value: string): string {
  if (!uuid.test(value)) throw invalid(`${name} must be a lowercase UUID`, value)
  return value
}

export function checkText(name: string, value: string, maxLength: number): string {
  if (value.length > maxLength) {
    throw invalid(`${name} must have at most ${maxLength} characters`, value.length)
  }
  if (value.includes('\0')) throw invalid(`${name} must be text without NUL`, 'a NUL')
  return value
}

export function checkTexts(
  name: string,
  values: readonly string[],
  { maxItems, maxLength }: { maxItems: number; maxLength: number },
): readonly string[] {
  checkCount(name, values, maxItems)
  return values.map((value) => checkText(name, value, maxLength))
}

export function checkCount(name: string, values: readonly unknown[], maxItems: number): void {
  if (values.length > maxItems) {
    throw invalid(`${name} must have at most ${maxItems} items`, values.length)
  }
}

export function checkInteger(
  name: string,
  value: number,
  { min, max }: { min: number; max: number },
): number {
  if (value < min || value > max) throw invalid(`${name} must be from ${min} to ${max}`, value)
  return value
}

/**
 * Refuses a result that the database cannot store, before it joins other nodes' results in a batch.
 */
export function checkResult(result: Record<string, unknown> = {}): Record<string, unknown> {
  jsonb(result)
  return result
}

/** The attempt that a node's message names. */
export function checkAttempt(request: {
  readonly nodeId: string
  readonly taskId: string
  readonly attempt: number
}): Attempt {
  return {
    nodeId: checkUuid('node_id', request.nodeId),
    taskId: checkUuid('task_id', request.taskId),
    attempt: checkInteger('attempt', request.attempt, { min: 1, max: maxAttempt }),
  }
}

/**
 * Returns the answer for an attempt that is, or was, the node's. @throws RpcError for any other.
 */
export function answerOf<T>(result: AttemptStatus<T>): T {
  switch (result.status) {
    case 'current':
    case 'repeated':
      return result.answer
    case 'unknown':
      throw new RpcError(status.NOT_FOUND, 'No task has this id.')
    case 'stale':
      throw new RpcError(
        status.FAILED_PRECONDITION,
        "The attempt must be the node's own and still running. It is not any more.",
      )
    default:
      return result satisfies never
  }
}

export function notRegistered(): RpcError {
  return new RpcError(status.NOT_FOUND, 'The node must register first.')
}

function invalid(rule: string, value: string | number): RpcError {
  return new RpcError(status.INVALID_ARGUMENT, `${rule}. Got ${JSON.stringify(value).slice(0, 80)}`)
}
