import { randomBytes } from 'node:crypto'
import {
  acceptedContent,
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  createRequestStateCodec,
  type InputRequest,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server'

/** Seals what a tool must know in its next round; the suite sends a changed one. */
export const states = createRequestStateCodec<{ readonly step: number }>({ key: randomBytes(32) })

type Result = CallToolResult | InputRequiredResult

const said = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] })

const askFor = (message: string, property: string): InputRequest =>
  inputRequired.elicit({
    message,
    requestedSchema: {
      type: 'object',
      properties: { [property]: { type: 'string' } },
      required: [property],
    },
  })
const askName = askFor('What is your name?', 'name')
const askConfirmation = inputRequired.elicit({
  message: 'Please confirm',
  requestedSchema: { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] },
})
const askModel = (text: string): InputRequest =>
  inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text } }],
    maxTokens: 100,
  })

/** Answers what the person typed, or undefined. */
function typed({ mcpReq }: ServerContext, key: string, property: string): unknown {
  return acceptedContent(mcpReq.inputResponses, key)?.[property]
}

/** Adds tools, and a prompt, that ask the person, the model or the host before they answer. */
export function addInputTools(server: McpServer): void {
  const add = (name: string, run: (context: ServerContext) => Result | Promise<Result>) =>
    server.registerTool(name, { description: name }, run)
  const prefix = 'test_input_required_result'

  add(`${prefix}_elicitation`, (context) => {
    const name = typed(context, 'user_name', 'name')
    if (typeof name === 'string') return said(`Hello, ${name}!`)
    return inputRequired({ inputRequests: { user_name: askName } })
  })
  add(`${prefix}_sampling`, ({ mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, 'capital_question')
    if (answer.kind === 'sampling') return said(JSON.stringify(answer.result.content))
    const capital_question = askModel('What is the capital of France?')
    return inputRequired({ inputRequests: { capital_question } })
  })
  add(`${prefix}_list_roots`, ({ mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, 'client_roots')
    if (answer.kind === 'roots') return said(answer.roots.map(({ uri }) => uri).join(' '))
    return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } })
  })
  for (const name of [`${prefix}_request_state`, `${prefix}_tampered_state`]) {
    add(name, async (context) => {
      const state = context.mcpReq.requestState<{ step: number }>()
      if (state?.step === 1 && typed(context, 'confirm', 'ok') === true) return said('state-ok')
      return inputRequired({
        inputRequests: { confirm: askConfirmation },
        requestState: await states.mint({ step: 1 }),
      })
    })
  }
  add(`${prefix}_multiple_inputs`, askThree)
  add(`${prefix}_multi_round`, askTwice)
  add(`${prefix}_capabilities`, ({ mcpReq }) => {
    const envelope: Partial<Record<string, unknown>> = { ...mcpReq.envelope }
    const declared = envelope[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined
    return inputRequired({
      inputRequests: {
        ...(declared?.sampling && { greeting: askModel('Generate a greeting') }),
        ...(declared?.elicitation && { user_name: askName }),
      },
    })
  })
  add('test_missing_capability', () =>
    inputRequired({ inputRequests: { greeting: askModel('Generate a greeting') } }),
  )
  add('test_streaming_elicitation', () => inputRequired({ inputRequests: { user_name: askName } }))
  // In the older revision a server asks by requests of its own, which find no stream here.
  add('test_sampling', () =>
    inputRequired({ inputRequests: { answer: askModel('Test prompt for sampling') } }),
  )
  for (const name of ['', '_sep1034_defaults', '_sep1330_enums']) {
    add(`test_elicitation${name}`, () => inputRequired({ inputRequests: { user_name: askName } }))
  }

  server.registerPrompt(`${prefix}_prompt`, { description: 'Asks first' }, (context) => {
    const given = typed(context, 'user_context', 'context')
    if (typeof given === 'string') {
      return { messages: [{ role: 'user', content: { type: 'text', text: given } }] }
    }
    const user_context = askFor('What context should the prompt use?', 'context')
    return inputRequired({ inputRequests: { user_context } })
  })
}

async function askThree(context: ServerContext): Promise<Result> {
  const { mcpReq } = context
  const kindOf = (key: string) => inputResponse(mcpReq.inputResponses, key).kind
  const name = typed(context, 'user_name', 'name')
  if (name && kindOf('greeting') === 'sampling' && kindOf('client_roots') === 'roots') {
    return said(`Hello, ${name}!`)
  }
  return inputRequired({
    inputRequests: {
      user_name: askName,
      greeting: askModel('Generate a greeting'),
      client_roots: inputRequired.listRoots(),
    },
    requestState: await states.mint({ step: 1 }),
  })
}

async function askTwice(context: ServerContext): Promise<Result> {
  const step = context.mcpReq.requestState<{ step: number }>()?.step
  const color = typed(context, 'step2', 'color')
  if (step === 2 && color) return said(`The color is ${color}.`)
  if (step === 1 && typed(context, 'step1', 'name')) {
    const step2 = askFor('Step 2: What is your favorite color?', 'color')
    return inputRequired({
      inputRequests: { step2 },
      requestState: await states.mint({ step: 2 }),
    })
  }
  const step1 = askFor('Step 1: What is your name?', 'name')
  return inputRequired({
    inputRequests: { step1 },
    requestState: await states.mint({ step: 1 }),
  })
}
