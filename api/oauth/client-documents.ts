import { type FetchDocumentOptions, fetchDocument } from '../../runtime/outbound/fetch-document.ts'
import { currentExchange } from './exchange.ts'
import { ClientRefused, readClientMetadata } from './registration-policy.ts'

/** Reaches metadata documents; tests replace how names are looked up and dialled. */
export type DocumentReach = Pick<FetchDocumentOptions, 'trustedHosts' | 'resolve' | 'dial'> & {
  readonly fetch?: typeof fetchDocument
}

const timeoutMs = 2_500
export const maxDocumentBytes = 5_120
/** Documents that are remembered for the time in which their server is away. */
const maxRemembered = 100

/**
 * Replaces the library's `fetch`, which it uses for metadata documents of clients alone. A document
 * is held to the farm's rules for clients before the library reads it. The fault of one that is
 * refused stays with the request, because the library's own error does not name it.
 *
 * While a client's server cannot be reached, its last document counts: else every user of that
 * client would be signed out. A document that is gone or has become unlawful counts no longer.
 */
export function createDocumentFetch({
  fetch = fetchDocument,
  ...reach
}: DocumentReach): (url: string) => Promise<Response> {
  const remembered = new Map<string, Document>()
  return async (url) => {
    try {
      const document = await read(url)
      remembered.delete(url)
      remembered.set(url, document)
      const [oldest] = remembered.keys()
      if (remembered.size > maxRemembered && oldest !== undefined) remembered.delete(oldest)
      return answerOf(document)
    } catch (error) {
      const last = remembered.get(url)
      if (last !== undefined && !(error instanceof DocumentRefused)) return answerOf(last)
      remembered.delete(url)
      const exchange = currentExchange()
      if (exchange && error instanceof Error) exchange.documentFault = error.message
      throw error
    }
  }

  async function read(url: string): Promise<Document> {
    const options = { ...reach, timeoutMs, maxBytes: maxDocumentBytes }
    const { status, headers, body } = await fetch(url, options)
    if (status >= 500) throw new Error(`The server of the document must work. Got ${status}`)
    if (status !== 200) {
      throw new DocumentRefused(`The document must be answered with status 200. Got ${status}`)
    }
    const cached = ['cache-control', 'expires'].flatMap((name) =>
      headers[name] === undefined ? [] : [[name, headers[name]] as [string, string]],
    )
    return { text: JSON.stringify(readDocument(body)), headers: cached }
  }
}

type Document = { readonly text: string; readonly headers: [string, string][] }

/** The document itself is at fault, not the way to it. */
class DocumentRefused extends Error {}

function answerOf({ text, headers }: Document): Response {
  return new Response(text, { headers })
}

/** @throws DocumentRefused */
function readDocument(body: Buffer): Record<string, unknown> {
  try {
    return readClientMetadata(JSON.parse(body.toString('utf8')), { isDocument: true })
  } catch (error) {
    const isRule = error instanceof ClientRefused
    throw new DocumentRefused(
      isRule ? error.message : 'The document must be JSON. Got another text',
    )
  }
}
