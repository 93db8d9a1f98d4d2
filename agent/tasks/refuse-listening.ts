import { isJSONRPCRequest, type JSONRPCErrorResponse } from '@modelcontextprotocol/server'
import { tasksRequired } from './serve-tasks.ts'
import { declaresTasks } from './task.ts'

/**
 * Returns the error for a client that listens to tasks and does not say that it takes them, which
 * the SDK's router of subscriptions does not look at. Undefined for every other message.
 */
export function refusalOfListening(message: unknown): JSONRPCErrorResponse | undefined {
  if (!isJSONRPCRequest(message) || message.method !== 'subscriptions/listen') return undefined
  const { notifications, _meta } = message.params ?? {}
  const { taskIds } = { ...(notifications as { readonly taskIds?: unknown } | undefined) }
  if (taskIds === undefined || declaresTasks(_meta)) return undefined
  const { code, message: text, data } = tasksRequired()
  return { jsonrpc: '2.0', id: message.id, error: { code, message: text, data } }
}
