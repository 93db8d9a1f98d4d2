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
/** Bytes of a line; the farm takes 2 MB, and the SDK ends the server at 10 MiB. */
const lineMost = 4 * 1024 * 1024

type Reading = {
  readonly onLine: (line: Buffer) => void
  /** Called in place of `onLine`, as soon as a line is too long. */
  readonly onLong: () => void
  readonly onEnd: () => void
}

/** Calls `onLine` with each line of a stream; the last one may lack its end. */
export function readLines(stream: Readable, { onLine, onLong, onEnd }: Reading): void {
  let parts: Buffer[] = []
  let length = 0
  const add = (part: Buffer) => {
    const isRefused = length > lineMost
    length += part.length
    if (length <= lineMost) parts.push(part)
    else if (!isRefused) {
      parts = []
      onLong()
    }
  }
  const end = () => {
    if (length <= lineMost) onLine(Buffer.concat(parts))
    parts = []
    length = 0
  }
  stream.on('data', (chunk: Buffer) => {
    let from = 0
    for (let to = chunk.indexOf(newline); to !== -1; to = chunk.indexOf(newline, from)) {
      add(chunk.subarray(from, to))
      end()
      from = to + 1
    }
    if (from < chunk.length) add(chunk.subarray(from))
  })
  stream.once('end', () => {
    if (parts.length > 0) end()
    onEnd()
  })
}

/** Returns the error for a line that is too long. */
export function refusalOfLongLine(): JSONRPCErrorResponse {
  const rule = 'invalid_request: Each line must have at most 4 MiB. Got a longer one'
  const next = 'Send a project in parts with save_draft and edit_draft.'
  return refusal(ProtocolErrorCode.InvalidRequest, `${rule}. ${next}`)
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
