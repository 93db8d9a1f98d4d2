import { type JSONRPCErrorResponse, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { parametersFault, requestIn, type SentRequest, shapeFault } from './parameters.ts'
import { toolsOf } from './profiles.ts'
import { quoted, shownValue } from './strangers-text.ts'
import type { Profile } from './tool.ts'

/**
 * Returns the error for a request whose parameters are wrong, and for a call of a tool that the
 * connection does not have: the SDK says neither what it got nor what to do. Undefined for every other
 * message.
 */
export function refusalOfRequest(
  message: unknown,
  profile: Profile,
): JSONRPCErrorResponse | undefined {
  const request = requestIn(message)
  if (request === undefined) return undefined
  const text = shapeFault(request) ?? callFault(request, profile) ?? parametersFault(request)
  if (text === undefined) return undefined
  const error = { code: ProtocolErrorCode.InvalidParams, message: text }
  return { jsonrpc: '2.0', id: request.id, error }
}

function callFault({ method, params }: SentRequest, profile: Profile): string | undefined {
  if (method !== 'tools/call') return undefined
  const { name, arguments: given = {} } = params as { name?: unknown; arguments?: unknown }
  return faultOf(name, profile) ?? argumentsFault(given)
}

function faultOf(name: unknown, profile: Profile): string | undefined {
  const isNamed = (tool: { readonly name: string }) => tool.name === name
  if (toolsOf[profile].some(isNamed)) return undefined
  if (toolsOf.developer.some(isNamed)) {
    return `forbidden: The tool ${name} must be in the connection's profile. Got the profile ${profile}. Ask the person for a connection with a wider profile.`
  }
  const seen = typeof name === 'string' ? quoted(name) : shownValue(name, 100)
  return `not_found: The tool must be one of tools/list. Got ${seen}. Call tools/list; where a tool is missing, ask the person for a connection with a wider profile.`
}

function argumentsFault(given: unknown): string | undefined {
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) return undefined
  return `invalid_request: arguments must be an object. Got ${shownValue(given, 100)}. Send {} for a tool without fields; tools/list has each schema.`
}
