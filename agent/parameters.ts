import { inputFaults } from './input-faults.ts'
import { prompts } from './prompts.ts'
import { quoted, shownPath } from './strangers-text.ts'

/** Parameters of requests, checked before the SDK, whose errors name neither the rule nor the value. */

type Fault = ReturnType<typeof inputFaults>[number]

const string = { type: 'string' }
const boolean = { type: 'boolean' }
const strings = { type: 'array', items: string }
const object = { type: 'object' }

const meta = { ...object, properties: { progressToken: { type: ['string', 'integer'] } } }

function params(
  properties: Readonly<Record<string, object>> = {},
  required: readonly string[] = [],
) {
  return { ...object, properties: { _meta: meta, ...properties }, required }
}

const page = params({ cursor: string })
const clientInfo = {
  ...object,
  properties: { name: string, version: string },
  required: ['name', 'version'],
}
const notifications = {
  ...object,
  properties: {
    ...{ toolsListChanged: boolean, promptsListChanged: boolean, resourcesListChanged: boolean },
    ...{ resourceSubscriptions: strings, taskIds: strings },
  },
}

/** Schemas by method. Those of tasks judge theirs by themselves. */
const methods: ReadonlyMap<string, object> = new Map([
  [
    'initialize',
    params({ protocolVersion: string, capabilities: object, clientInfo }, [
      ...['protocolVersion', 'capabilities', 'clientInfo'],
    ]),
  ],
  ['ping', params()],
  ['server/discover', params()],
  ['tools/list', page],
  ['prompts/list', page],
  ['resources/list', page],
  ['resources/templates/list', page],
  ['tools/call', params({ requestState: string })],
  ['prompts/get', params({ name: string, arguments: object }, ['name'])],
  ['resources/read', params({ uri: string }, ['uri'])],
  ['subscriptions/listen', params({ notifications })],
])

const faultsMax = 5
const again = 'Mend the parameters that are named here and send the request again.'

/** A request as it was sent; the SDK takes one whose parameters are misshapen for no message. */
export type SentRequest = {
  readonly id: string | number
  readonly method: string
  readonly params: unknown
}

/** Returns the request in a message; undefined: it is something else, or nothing. */
export function requestIn(message: unknown): SentRequest | undefined {
  if (inputFaults(envelope, message).length > 0) return undefined
  const { params: given = {}, ...sent } = message as SentRequest
  return { ...sent, params: given }
}

const envelope = {
  ...object,
  properties: {
    ...{ jsonrpc: { enum: ['2.0'] }, method: string },
    id: { type: ['string', 'integer'] },
  },
  required: ['jsonrpc', 'method', 'id'],
}

/** Says that the parameters of a request are no object; undefined: they are one. */
export function shapeFault({ params: given }: SentRequest): string | undefined {
  const faults = inputFaults(object, given, 'params')
  return faults.length > 0 ? sentenceOf(faults, again) : undefined
}

/** Says what is wrong with the parameters of a request, which are an object; undefined: nothing. */
export function parametersFault(request: SentRequest): string | undefined {
  const { method, params: given } = request
  const schema = methods.get(method)
  if (schema === undefined || isOfAnotherEra(request)) return undefined
  const faults = inputFaults(schema, given, 'params')
  if (faults.length > 0) return sentenceOf(faults, again)
  if (method !== 'prompts/get') return undefined
  const { name, arguments: sent = {} } = given as { name: string; arguments?: object }
  const wrong = promptFaults(name, sent)
  if (wrong.length > 0) return sentenceOf(wrong, 'Call prompts/list for its arguments.')
  return prompts.some((prompt) => prompt.name === name) ? undefined : unknownPrompt(name)
}

/** The newest revision names itself in each request, and knows no `initialize`. */
function isOfAnotherEra({ method, params: given }: SentRequest): boolean {
  const { _meta: named = {} } = given as { readonly _meta?: object }
  return (
    method === 'initialize' &&
    Object.hasOwn(Object(named), 'io.modelcontextprotocol/protocolVersion')
  )
}

/** The SDK takes `toString`, and whatever else each object has, for a prompt that is disabled. */
function unknownPrompt(name: string): string {
  const known = prompts.map((prompt) => prompt.name).join(', ')
  return `not_found: The prompt must be one of ${known}. Got ${quoted(name)}. Call prompts/list for their arguments.`
}

/** Every argument of a prompt is a text. */
function promptFaults(name: string, sent: object): readonly Fault[] {
  const needed = prompts.filter((prompt) => prompt.name === name).map(({ argument }) => argument)
  const names = [...needed, ...Object.keys(sent)]
  const properties = Object.fromEntries(names.map((each) => [each, string]))
  return inputFaults({ ...object, properties, required: needed }, sent, 'params.arguments')
}

function sentenceOf(faults: readonly Fault[], next: string): string {
  const said = faults
    .slice(0, faultsMax)
    .map(({ field, message }) => `${shownPath(field)} ${message}`)
  const more = faults.length - said.length
  const rest = more === 0 ? [] : [`And ${more} more`]
  return `invalid_request: ${[...said, ...rest].join('. ')}. ${next}`
}
