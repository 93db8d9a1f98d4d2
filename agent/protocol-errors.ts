import {
  isJSONRPCErrorResponse,
  type JSONRPCErrorResponse,
  type JSONRPCMessage,
  type McpServer,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server'
import { cutShort, quoted } from './strangers-text.ts'

/** Errors of the protocol, to which the SDK gives a few words: sentences with what to do next. */

/** The list of faults, as JSON, that the SDK's schema of a method found. */
const issues = /^(?:Invalid [\w/]+ request: )?(\[\s*\{.*\}\s*\])$/s

/** Sentences in place of the SDK's words, by those. */
const sentences: readonly (readonly [RegExp, (found: string) => string])[] = [
  [
    /^Method not found$/,
    () =>
      'not_found: The method must be one that this revision of MCP has and the farm serves. Got another. Call tools/list, prompts/list or resources/list to see what there is.',
  ],
  [
    /^Method not allowed\.$/,
    () =>
      'method_not_allowed: The endpoint keeps no sessions, and takes POST alone. Got another method. Send each message in a POST of its own.',
  ],
  [
    /^Not Acceptable: /,
    () =>
      'not_acceptable: The header Accept must name both types of an answer. Got less. Send Accept: application/json, text/event-stream.',
  ],
  [
    /^Resource not found: (.*)$/s,
    (uri) =>
      `not_found: The uri must be that of a resource. Got ${quoted(uri)}. Call resources/list and resources/templates/list for those that exist.`,
  ],
  [
    /^Invalid params: 'notifications' is required/,
    () =>
      'invalid_request: params.notifications must be an object that says what to listen to. Got another value, or nothing. Mend it and send the request again.',
  ],
  [
    issues,
    (found) =>
      `invalid_request: The parameters must fit the method. Got ${issuesText(found)}. Mend them and send the request again.`,
  ],
  [
    /^Resource URI (.*) is invalid$/s,
    (uri) =>
      `invalid_request: The uri must be an address like farm://guidelines. Got ${quoted(uri)}. Call resources/list and resources/templates/list for those that exist.`,
  ],
]

/** Says what the SDK's schema of a method found. */
function issuesText(list: string): string {
  const found: readonly { readonly path?: readonly unknown[]; readonly message?: string }[] =
    JSON.parse(list)
  return found
    .slice(0, 5)
    .map(
      ({ path = [], message = 'another value' }) => `${path.join('.')}: ${cutShort(message, 100)}`,
    )
    .join('; ')
}

/** Next steps after the SDK's own words, by the code of the error. */
const stepsByCode: ReadonlyMap<number, string> = new Map([
  [-32_700, 'Send one JSON-RPC message as JSON.'],
  [-32_600, 'Send one JSON-RPC 2.0 message with a method.'],
  [-32_601, 'Call tools/list, prompts/list or resources/list to see what there is.'],
  [-32_602, 'Mend the parameters that are named here and send the request again.'],
  [-32_020, 'Send the same in the headers and in the body.'],
  [-32_021, 'Declare the capabilities that data names in the request, if the client has them.'],
  [-32_022, 'Send one of the revisions that data.supported lists.'],
])
const anyStep = 'Nothing is lost; send the request again in a minute.'

/** Our own messages begin with a code, and already say what to do. */
const isOurs = /^[a-z_]+: /

/**
 * Returns an error whose message says what to do next. Its data stay, and its code: but parameters
 * that the SDK refuses as a fault of its own (-32603) are the sender's (-32602).
 */
function withNextStep(response: JSONRPCErrorResponse): JSONRPCErrorResponse {
  const { message, code } = response.error
  if (isOurs.test(message)) return response
  const own = sentences.find(([words]) => words.test(message))
  const said = own
    ? own[1](own[0].exec(message)?.[1] ?? '')
    : `${message.replace(/\.?$/, '.')} ${stepsByCode.get(code) ?? anyStep}`
  const owed = issues.test(message) ? ProtocolErrorCode.InvalidParams : code
  return { ...response, error: { ...response.error, code: owed, message: said } }
}

/** Returns a message as it is sent to a host. */
export function said<T extends JSONRPCMessage>(message: T): T | JSONRPCErrorResponse {
  return isJSONRPCErrorResponse(message) ? withNextStep(message) : message
}

/** Makes every error that leaves the server say what to do next. */
export function sayNextSteps(server: Pick<McpServer, 'connect'>): void {
  const connect = server.connect.bind(server)
  server.connect = async (transport) => {
    const send = transport.send.bind(transport)
    transport.send = async (message, options) => await send(said(message), options)
    await connect(transport)
  }
}

/** Returns an answer over HTTP, whose refusals say what to do next. */
export async function answerWithNextStep(answer: Response): Promise<Response> {
  const isJson = answer.headers.get('content-type')?.startsWith('application/json')
  if (answer.status < 400 || !isJson) return answer
  const body: unknown = await answer.json()
  const { status, headers } = answer
  const kept = new Headers(headers)
  kept.delete('content-length')
  const told = isRefusal(body) ? withNextStep(body) : body
  return Response.json(told, { status, headers: kept })
}

/** The SDK's own check takes no id of null, which answers what could not be read. */
function isRefusal(body: unknown): body is JSONRPCErrorResponse {
  return typeof body === 'object' && body !== null && 'error' in body
}
