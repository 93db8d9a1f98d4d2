import {
  fromJsonSchema,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { quoted, shownValue } from '../strangers-text.ts'
import { type DetailedTask, takesTasks, tasksExtension } from './task.ts'

/** Tasks of one account. Undefined and false: it has no such task. */
export type TaskSource = {
  get(taskId: string, signal: AbortSignal): Promise<DetailedTask | undefined>
  /** Asks the task to end; one that has ended stays as it is. */
  cancel(taskId: string, signal: AbortSignal): Promise<boolean>
  /** Takes answers to the questions of a task; those to no open question are ignored. */
  update(taskId: string, given: InputResponses, signal: AbortSignal): Promise<boolean>
}

export type InputResponses = Readonly<Record<string, unknown>>

/** Checked by us, for a client that does not take tasks learns that first. */
const params = fromJsonSchema<Asked>({ type: 'object' })

type Asked = { readonly taskId?: unknown }

/** Serves the methods of the tasks extension, and tells clients that it is there. */
export function serveTasks(server: Server, source: TaskSource): void {
  server.registerCapabilities({ extensions: { [tasksExtension]: {} } })
  server.setRequestHandler('tasks/get', { params }, async (asked, context) => {
    const taskId = admit(asked, context)
    const task = await source.get(taskId, context.mcpReq.signal)
    if (!task) throw unknown(taskId)
    return whole(task)
  })
  server.setRequestHandler('tasks/cancel', { params }, async (asked, context) => {
    const taskId = admit(asked, context)
    if (!(await source.cancel(taskId, context.mcpReq.signal))) throw unknown(taskId)
    return {}
  })
  server.setRequestHandler('tasks/update', { params }, async (asked, context) => {
    const taskId = admit(asked, context)
    // The SDK takes the answers out of the parameters of every request.
    const { inputResponses, signal } = context.mcpReq
    if (inputResponses === undefined)
      throw invalid('inputResponses must be given. Got nothing. Send the answers, or tasks/get')
    if (!(await source.update(taskId, inputResponses, signal))) throw unknown(taskId)
    return {}
  })
}

/** A result inside a task says what it is, like every result of this revision. */
function whole({ result, ...task }: DetailedTask) {
  return { ...task, ...(result && { result: { resultType: 'complete', ...result } }) }
}

/**
 * Returns the id of the task that a request is about.
 * @throws ProtocolError for clients of an older revision, and those that do not take tasks
 */
function admit({ taskId }: Asked, context: ServerContext): string {
  if (context.mcpReq.envelope === undefined) {
    throw new ProtocolError(ProtocolErrorCode.MethodNotFound, 'Method not found')
  }
  if (!takesTasks(context)) throw tasksRequired()
  if (typeof taskId === 'string') return taskId
  throw invalid(`taskId must be a string. Got ${shownValue(taskId, 100)}. Send the id of a task`)
}

/** Refuses a client that does not say in its request that it takes tasks. */
export function tasksRequired(): ProtocolError {
  const requiredCapabilities = { extensions: { [tasksExtension]: {} } }
  const rule = `The request must declare the client capability ${tasksExtension}`
  return new MissingRequiredClientCapabilityError({ requiredCapabilities }, rule)
}

function unknown(taskId: string): ProtocolError {
  const seen = quoted(taskId.slice(0, 100))
  return invalid(
    `taskId must be the id of a task of this account. Got ${seen}. Call list_renders for ids`,
  )
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `invalid_request: ${message}.`)
}
