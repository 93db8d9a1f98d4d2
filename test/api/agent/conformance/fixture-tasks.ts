import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type CallToolResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import type { TaskSource } from '../../../../agent/tasks/serve-tasks.ts'
import type { DetailedTask } from '../../../../agent/tasks/task.ts'

type Answers = Readonly<Record<string, unknown>>
/** Asks the client; resolves once every question has its answer. */
type Ask = (questions: Readonly<Record<string, object>>) => Promise<Answers>
export type Work = (task: { ask: Ask; signal: AbortSignal }) => Promise<CallToolResult>

type Running = {
  state: DetailedTask
  readonly questions: Map<string, object>
  readonly answers: Record<string, unknown>
  readonly ending: AbortController
  onAnswered: () => void
}

const pollIntervalMs = 100
/** Longest life of a task of the suite, which leaves some open. */
const longestMs = 60_000

/** Tasks in memory, which need questions, errors and results that no render of the farm has. */
export class FixtureTasks implements TaskSource {
  readonly #tasks = new Map<string, Running>()

  start(work: Work): DetailedTask {
    const now = new Date().toISOString()
    const times = { createdAt: now, lastUpdatedAt: now, ttlMs: longestMs, pollIntervalMs }
    const task: Running = {
      state: { taskId: randomUUID(), status: 'working', ...times },
      ...{ questions: new Map(), answers: {}, ending: new AbortController() },
      onAnswered: () => undefined,
    }
    this.#tasks.set(task.state.taskId, task)
    void this.#run(task, work)
    return task.state
  }

  async get(taskId: string): Promise<DetailedTask | undefined> {
    const task = this.#tasks.get(taskId)
    if (!task) return undefined
    const { state, questions } = task
    if (state.status !== 'working' || questions.size === 0) return state
    return { ...state, status: 'input_required', inputRequests: Object.fromEntries(questions) }
  }

  async cancel(taskId: string): Promise<boolean> {
    this.#tasks.get(taskId)?.ending.abort()
    return this.#tasks.has(taskId)
  }

  async update(taskId: string, given: Answers): Promise<boolean> {
    const task = this.#tasks.get(taskId)
    if (!task) return false
    for (const [key, answer] of Object.entries(given)) {
      if (task.questions.delete(key)) task.answers[key] = answer
    }
    if (task.questions.size === 0) task.onAnswered()
    return true
  }

  async #run(task: Running, work: Work): Promise<void> {
    const { ending, questions, answers } = task
    const late = AbortSignal.timeout(longestMs)
    const signal = AbortSignal.any([ending.signal, late])
    const ask: Ask = async (asked) => {
      for (const [key, question] of Object.entries(asked)) questions.set(key, question)
      await new Promise<void>((resolve, reject) => {
        task.onAnswered = resolve
        signal.addEventListener('abort', () => reject(signal.reason))
      })
      return answers
    }
    try {
      const result = await work({ ask, signal })
      this.#settle(task, { status: 'completed', result })
    } catch (error) {
      questions.clear()
      if (signal.aborted) this.#settle(task, { status: 'cancelled' })
      else this.#settle(task, { status: 'failed', ...failure(error) })
    }
  }

  #settle(task: Running, end: Pick<DetailedTask, 'status' | 'result' | 'error'>): void {
    task.state = { ...task.state, ...end, lastUpdatedAt: new Date().toISOString() }
  }
}

function failure(error: unknown): Pick<DetailedTask, 'statusMessage' | 'error'> {
  const { message } = error as Error
  const code = error instanceof ProtocolError ? error.code : ProtocolErrorCode.InternalError
  return { statusMessage: message, error: { code, message } }
}

const said = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] })

const question = (message: string, property: string) => ({
  method: 'elicitation/create',
  params: {
    ...{ mode: 'form', message },
    requestedSchema: { type: 'object', properties: { [property]: { type: 'string' } } },
  },
})

/** Work of the tools that the suite calls by name. */
export const compute =
  (seconds: number, label: string): Work =>
  async ({ signal }) => {
    await sleep(seconds * 1000, undefined, { signal })
    return said(`Computed ${label}`)
  }

export const fail: Work = async ({ signal }) => {
  await sleep(1000, undefined, { signal })
  return { ...said('This job always fails'), isError: true }
}

export const breakProtocol: Work = async () => {
  throw new ProtocolError(ProtocolErrorCode.InternalError, 'This job breaks the protocol')
}

export const askOne: Work = async ({ ask }) =>
  said(JSON.stringify(await ask({ confirm: question('Delete it?', 'confirm') })))

export const askTwo: Work = async ({ ask }) => {
  const questions = { first: question('First?', 'name'), second: question('Second?', 'name') }
  return said(JSON.stringify(await ask(questions)))
}
