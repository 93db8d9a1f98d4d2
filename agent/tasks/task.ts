import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type ServerContext,
} from '@modelcontextprotocol/server'

/** Extension of the protocol by which a call answers with a task, whose result is asked for later. */
export const tasksExtension = 'io.modelcontextprotocol/tasks'

export type Task = {
  readonly taskId: string
  readonly status: 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled'
  readonly statusMessage?: string
  /** Times are ISO 8601. */
  readonly createdAt: string
  readonly lastUpdatedAt: string
  /** Time after which the task may be forgotten; null: never. */
  readonly ttlMs: number | null
  readonly pollIntervalMs: number
}

/** A task with what belongs to its status. */
export type DetailedTask = Task & {
  /** Result of the call, once completed; it may be an error of the tool. */
  readonly result?: object
  /** Error of the protocol, once failed. */
  readonly error?: { readonly code: number; readonly message: string }
  /** Questions to the client by key, while input is required. */
  readonly inputRequests?: Readonly<Record<string, object>>
}

/** Returns the answer to a call that has become a task: without result, error and questions. */
export function createdTask({ result: _, error: _1, inputRequests: _2, ...task }: DetailedTask) {
  return { resultType: 'task' as const, ...task }
}

/** Answers whether the client of this very request takes tasks; older revisions cannot. */
export function takesTasks({ mcpReq }: ServerContext): boolean {
  return declaresTasks({ ...mcpReq.envelope })
}

/** Answers whether a request's own metadata declare the extension. */
export function declaresTasks(meta: Readonly<Record<string, unknown>> = {}): boolean {
  const declared = meta[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined
  return declared?.extensions?.[tasksExtension] !== undefined
}
