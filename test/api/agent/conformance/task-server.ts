import {
  acceptedContent,
  type CallToolResult,
  type InputRequiredResult,
  inputRequired,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { serveTasks, tasksRequired } from '../../../../agent/tasks/serve-tasks.ts'
import { createdTask, takesTasks } from '../../../../agent/tasks/task.ts'
import {
  askOne,
  askTwo,
  breakProtocol,
  compute,
  FixtureTasks,
  fail,
  type Work,
} from './fixture-tasks.ts'

type Result = CallToolResult | InputRequiredResult

type Tool = {
  readonly run: (args: Args, context: ServerContext) => Result | Work
  /** Refuses clients that do not take tasks. */
  readonly isTaskOnly?: boolean
}
type Args = Readonly<Record<string, unknown>>

const said = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] })

const tools: Readonly<Record<string, Tool>> = {
  greet: { run: ({ name }) => said(`Hello, ${name}!`) },
  slow_compute: {
    run: ({ seconds, label }) =>
      seconds === 0 ? said(`Computed ${label}`) : compute(Number(seconds), String(label)),
  },
  failing_job: { run: () => fail, isTaskOnly: true },
  protocol_error_job: { run: () => breakProtocol },
  confirm_delete: { run: () => askOne },
  multi_input: { run: () => askTwo },
  test_tool_with_task: { run: askThenCompute, isTaskOnly: true },
}

/** Asks in the call itself, as the newer revision does, before it becomes a task. */
function askThenCompute(_args: Args, { mcpReq }: ServerContext): Result | Work {
  const name = acceptedContent(mcpReq.inputResponses, 'user_name')?.name
  if (typeof name === 'string') return compute(0.2, name)
  const user_name = inputRequired.elicit({
    message: 'What is your name?',
    requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
  })
  return inputRequired({ inputRequests: { user_name } })
}

const tasks = new FixtureTasks()

/**
 * Makes a server with the tools that the suite's scenarios of tasks call by name. It stands on the
 * bare server of the SDK: one tool refuses a call by an error of the protocol, which the SDK's usual
 * server would make a result.
 */
export function createTaskServer(): Server {
  const server = new Server(
    { name: 'conformance-tasks', version: '1.0.0' },
    { capabilities: { tools: {} } },
  )
  serveTasks(server, tasks)
  server.setRequestHandler('tools/list', () => ({
    tools: Object.keys(tools).map((name) => ({ name, inputSchema: { type: 'object' as const } })),
  }))
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const tool = tools[params.name]
    if (!tool) throw new Error(`There is no tool ${params.name}`)
    if (tool.isTaskOnly && !takesTasks(context)) throw tasksRequired()
    const answer = tool.run(params.arguments ?? {}, context)
    if (typeof answer !== 'function') return answer
    if (takesTasks(context)) return { content: [], ...createdTask(tasks.start(answer)) }
    const ask = () => Promise.reject(new Error('Only a task can ask'))
    return await answer({ ask, signal: context.mcpReq.signal })
  })
  return server
}
