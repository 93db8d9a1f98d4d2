import type { Readable } from 'node:stream'
import {
  type JSONRPCErrorResponse,
  ProtocolErrorCode,
  parseJSONRPCMessage,
} from '@modelcontextprotocol/server'
import { refusalOfRequest } from './refuse-request.ts'
import { shownValue } from './strangers-text.ts'
import type { Profile } from './tool.ts'

/** Lines of standard input: each must be one JSON-RPC message. */

const seenMost = 100
const newline = 10

/** Calls `onLine` with each line of a stream; the last one may lack its end. */
export function readLines(
  stream: Readable,
  { onLine, onEnd }: { onLine: (line: Buffer) => void; onEnd: () => void },
): void {
  let parts: Buffer[] = []
  stream.on('data', (chunk: Buffer) => {
    let from = 0
    for (let to = chunk.indexOf(newline); to !== -1; to = chunk.indexOf(newline, from)) {
      onLine(Buffer.concat([...parts, chunk.subarray(from, to)]))
      parts = []
      from = to + 1
    }
    if (from < chunk.length) parts.push(chunk.subarray(from))
  })
  stream.once('end', () => {
    if (parts.length > 0) onLine(Buffer.concat(parts))
    onEnd()
  })
}

/** Returns the error for a line that is no message. The SDK answers nothing to it. */
export function refusalOfLine(line: string, profile: Profile): JSONRPCErrorResponse | undefined {
  const { ParseError, InvalidRequest } = ProtocolErrorCode
  let message: unknown
  try {
    message = JSON.parse(line)
  } catch {
    const rule = 'invalid_request: Each line must be one JSON-RPC message'
    return refusal(ParseError, `${rule}. Got ${shownValue(line, seenMost)}. Send it as JSON.`)
  }
  try {
    parseJSONRPCMessage(message)
    return undefined
  } catch {
    const own = refusalOfRequest(message, profile)
    if (own) return own
    const rule = 'invalid_request: A message must have jsonrpc "2.0", and a method or a result'
    const next = 'Send messages one by one, each on its line.'
    return refusal(
      InvalidRequest,
      `${rule}. Got ${shownValue(message, seenMost)}. ${next}`,
      idOf(message),
    )
  }
}

/** JSON-RPC wants `null` where the id of the message cannot be known. */
function refusal(code: number, message: string, id: string | number | null = null) {
  return { jsonrpc: '2.0', id, error: { code, message } } as JSONRPCErrorResponse
}

function idOf(message: unknown): string | number | null {
  const { id } = { ...(message as { readonly id?: unknown } | null) }
  return typeof id === 'string' || Number.isInteger(id) ? (id as string | number) : null
}
