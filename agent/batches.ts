import {
  isJSONRPCRequest,
  type JSONRPCErrorResponse,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server'

/** The last revision of MCP whose hosts may send several messages at once. */
const lastWithBatches = '2025-03-26'
/** Most messages of a batch. */
const most = 100

const notRun =
  'invalid_request: Every message of a batch must be accepted before one is run. Got another that is refused. Mend that one and send the batch again.'

/** One message, or the answers of a whole batch. */
export type Refusal = JSONRPCErrorResponse | readonly JSONRPCErrorResponse[]

/**
 * Returns the error for a batch that its host may not send. `version`: the revision that the host
 * names; absent, the specification has it read as 2025-03-26.
 */
export function refusalOfBatch(
  batch: readonly unknown[],
  version = lastWithBatches,
): (Omit<JSONRPCErrorResponse, 'id'> & { readonly id: null }) | undefined {
  const text = batchFault(batch, version)
  if (text === undefined) return undefined
  const error = { code: ProtocolErrorCode.InvalidRequest, message: `invalid_request: ${text}` }
  return { jsonrpc: '2.0', id: null, error }
}

function batchFault(batch: readonly unknown[], version: string): string | undefined {
  if (version > lastWithBatches) {
    return 'The body must be one message: this revision of MCP has no batches. Got an array. Send each message in a request of its own.'
  }
  if (batch.length === 0 || batch.length > most) {
    return `A batch must have 1 to ${most} messages. Got ${batch.length}. Send the messages in smaller batches, or each alone.`
  }
  return undefined
}

/** Judges each message. Where one is refused, no other of its batch is run. */
export function refusalOfEach(
  message: unknown,
  refusalOf: (message: unknown) => JSONRPCErrorResponse | undefined,
): Refusal | undefined {
  if (!Array.isArray(message)) return refusalOf(message)
  const refusals = message.map(refusalOf)
  if (refusals.every((refusal) => refusal === undefined)) return undefined
  return message.flatMap((each, i) => {
    if (refusals[i]) return [refusals[i]]
    if (!isJSONRPCRequest(each)) return []
    const error = { code: ProtocolErrorCode.InvalidRequest, message: notRun }
    return [{ jsonrpc: '2.0' as const, id: each.id, error }]
  })
}
