import type {
  CallToolResult,
  InputRequiredResult,
  ServerContext,
} from '@modelcontextprotocol/server'
import { RefusedInput } from './input-schema.ts'
import type { Questions } from './questions.ts'
import { InputRefused } from './source.ts'
import { oneLine } from './strangers-text.ts'
import { createdTask, takesTasks } from './tasks/task.ts'
import type { Acting, Agent, Tool, ToolResult } from './tool.ts'
import { callResult } from './tool-result.ts'
import { errorText } from './wording.ts'

const endedText = ({ message }: Error, next = 'Ask the person to connect again.') =>
  `unauthorized: ${message} What it had begun goes on. ${next}`

const staleAnswer =
  'invalid_request: requestState must be the one that this farm gave to this connection, at most 15 minutes ago. Got a changed or expired one, and nothing was spent. Call the tool again without requestState and inputResponses; it asks the person anew.'

type Called = {
  readonly acting: Acting
  readonly context: ServerContext
  readonly questions: Questions
}

/** Runs a tool. Every refusal is a result that says what to do next. */
export async function callTool(
  tool: Tool,
  input: object,
  { acting, context, questions }: Called,
): Promise<CallToolResult | InputRequiredResult> {
  if (input instanceof RefusedInput) return refusal(input.text)
  if (questions.isRefused(context)) return refusal(staleAnswer)
  const { farm, connection, ended } = acting
  const { signal: cancelled } = context.mcpReq
  const signal = ended ? AbortSignal.any([cancelled, ended]) : cancelled
  const asked = {
    progress: progressOf(context),
    takesTasks: takesTasks(context),
    person: questions.personOf(context),
  }
  const agent = { farm, connection, signal, ...asked }
  try {
    const result = await unlessEnded(tool.run(input as never, agent), ended)
    return 'question' in result
      ? await questions.ask(result.question, context)
      : shown(result, tool)
  } catch (error) {
    return refusal(
      ended?.aborted
        ? endedText(ended.reason, acting.reconnect)
        : messageOf(error, { input, reconnect: acting.reconnect }),
    )
  }
}

/** Does not wait for a tool that takes its time to notice. */
async function unlessEnded<T>(work: Promise<T>, ended: AbortSignal | undefined): Promise<T> {
  if (!ended) return await work
  let onEnd = () => {}
  const end = new Promise<never>((_, reject) => {
    onEnd = () => reject(ended.reason)
  })
  if (ended.aborted) onEnd()
  ended.addEventListener('abort', onEnd)
  try {
    return await Promise.race([work, end])
  } finally {
    ended.removeEventListener('abort', onEnd)
  }
}

function refusal(text: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text }] }
}

/** Says why a call was refused, by us or by the farm. Rethrows what is no refusal. */
export function messageOf(error: unknown, refused: Parameters<typeof errorText>[1] = {}): string {
  return error instanceof InputRefused
    ? `invalid_request: ${oneLine(error.message)}`
    : errorText(error, refused)
}

/** A result with another `resultType` passes the SDK as it is. */
function shown(result: Exclude<ToolResult, { question: unknown }>, tool: Tool): CallToolResult {
  if ('content' in result) return callResult(result, tool)
  return { content: [], ...createdTask(result.task) }
}

function progressOf({ mcpReq }: ServerContext): Agent['progress'] {
  const token = mcpReq._meta?.progressToken
  if (token === undefined) return () => undefined
  let last = -1
  return (done, total, message) => {
    // The specification wants a number that grows.
    if (done <= last) return
    last = done
    const params = { progressToken: token, progress: done, total, message }
    void mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined)
  }
}
