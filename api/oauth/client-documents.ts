import { type FetchDocumentOptions, fetchDocument } from '../../runtime/outbound/fetch-document.ts'
import { currentExchange } from './exchange.ts'
import { readClientMetadata } from './registration-policy.ts'

/** Reaches metadata documents; tests replace how names are looked up and dialled. */
export type DocumentReach = Pick<FetchDocumentOptions, 'trustedHosts' | 'resolve' | 'dial'> & {
  readonly fetch?: typeof fetchDocument
}

const timeoutMs = 2_500
export const maxDocumentBytes = 5_120

/**
 * Replaces the library's `fetch`, which it uses for metadata documents of clients alone. A document
 * is held to the farm's rules for clients before the library reads it. The fault of one that is
 * refused stays with the request, because the library's own error does not name it.
 */
export function createDocumentFetch({
  fetch = fetchDocument,
  ...reach
}: DocumentReach): (url: string) => Promise<Response> {
  return async (url) => {
    try {
      const { status, headers, body } = await fetch(url, {
        ...reach,
        timeoutMs,
        maxBytes: maxDocumentBytes,
      })
      if (status !== 200) {
        throw new Error(`The document must be answered with status 200. Got ${status}`)
      }
      const metadata = readClientMetadata(parse(body), { isDocument: true })
      const cached = ['cache-control', 'expires'].flatMap((name) =>
        headers[name] === undefined ? [] : [[name, headers[name]] as [string, string]],
      )
      return new Response(JSON.stringify(metadata), { status, headers: cached })
    } catch (error) {
      const exchange = currentExchange()
      if (exchange && error instanceof Error) exchange.documentFault = error.message
      throw error
    }
  }
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    throw new Error('The document must be JSON. Got another text')
  }
}
