import { createReadStream } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { finished, pipeline } from 'node:stream/promises'
import { FarmError } from '../../core/errors.ts'
import type { Log } from '../../runtime/log.ts'
import { type Directory, objectPath, statObject, writeObject } from './directory.ts'
import { contentDisposition, maxObjectBytes } from './object-store.ts'
import { readGrant, type SignedGrant } from './signed-url.ts'

/**
 * Content of strangers must not run as a page, nor reach anywhere. A browser shows a film or a
 * still in a page of its own, which needs the file itself and an inline style.
 */
const contentPolicy =
  "sandbox; default-src 'none'; media-src 'self'; img-src 'self'; style-src 'unsafe-inline'"

/** Answers one request for /objects/…; never rejects. Needs no web framework. */
export type SignedFileServer = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/**
 * Serves a directory store over HTTP: GET and HEAD (one byte range), PUT, each only with a URL that
 * openDirectory signed with the same secret. The request's body must not have been read.
 */
export function createSignedFileServer({
  root,
  secret,
  log,
}: Directory & { secret: string; log: Log }): SignedFileServer {
  const memory: Memory = { freeBytes: heldBytesMost }
  return async (request, response) => {
    try {
      const grant = readGrant({ url: request.url ?? '', secret, now: new Date() })
      if (grant === undefined) return refuse(request, response, 403)
      if (request.method === 'PUT' && grant.method === 'PUT') {
        return await receive({ root, memory }, grant, request, response)
      }
      if ((request.method === 'GET' || request.method === 'HEAD') && grant.method === 'GET') {
        return await send({ root }, grant, request, response)
      }
      refuse(request, response, 403)
    } catch (error) {
      if (isGone(error)) return
      log.error({ err: error, method: request.method }, 'an object request failed')
      if (response.headersSent) response.destroy()
      else refuse(request, response, 500)
    }
  }
}

async function send(
  directory: Directory,
  grant: SignedGrant,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const facts = await statObject(directory, grant.key)
  if (facts === undefined) return refuse(request, response, 404)
  const tag = `"${facts.modified.getTime().toString(36)}-${facts.bytes.toString(36)}"`
  const condition = request.headers['if-range']
  const asked = condition === undefined || condition === tag ? request.headers.range : undefined
  const range = readRange(asked, facts.bytes)
  response.setHeader('accept-ranges', 'bytes')
  response.setHeader('etag', tag)
  response.setHeader('last-modified', facts.modified.toUTCString())
  response.setHeader('cache-control', 'private, no-cache')
  response.setHeader('content-type', grant.contentType || 'application/octet-stream')
  // Customers' files are served from the api's origin and must never run there.
  response.setHeader('content-security-policy', contentPolicy)
  // Any page with the address may read it; a sandboxed one, too, is another origin.
  response.setHeader('access-control-allow-origin', '*')
  response.setHeader('cross-origin-resource-policy', 'cross-origin')
  response.setHeader('x-content-type-options', 'nosniff')
  if (grant.filename !== '') {
    const disposition = contentDisposition(grant.filename, grant.isDownload)
    response.setHeader('content-disposition', disposition)
  }
  if (range === 'unsatisfiable') {
    response.setHeader('content-range', `bytes */${facts.bytes}`)
    return refuse(request, response, 416)
  }
  const { start, end } = range ?? { start: 0, end: facts.bytes - 1 }
  response.statusCode = range ? 206 : 200
  response.setHeader('content-length', end - start + 1)
  if (range) response.setHeader('content-range', `bytes ${start}-${end}/${facts.bytes}`)
  if (request.method === 'HEAD' || facts.bytes === 0) return void response.end()
  const piece = { start, end, highWaterMark: sentAtOnceBytes }
  await pipeline(createReadStream(objectPath(directory, grant.key), piece), response)
}

/**
 * Bytes of one read: each read costs a turn of the event loop, and a slow client keeps this much in
 * memory.
 */
const sentAtOnceBytes = 256 * 1024

/** RFC 9110 §14: one range of bytes; several, or another unit, are answered with the whole. */
function readRange(
  header: string | undefined,
  bytes: number,
): { readonly start: number; readonly end: number } | 'unsatisfiable' | undefined {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '')
  const [, first = '', last = ''] = match ?? []
  if (first === '' && last === '') return undefined
  const start = first === '' ? Math.max(0, bytes - Number(last)) : Number(first)
  const end = first === '' || last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1)
  if (first !== '' && last !== '' && Number(last) < start) return undefined
  return start > end ? 'unsatisfiable' : { start, end }
}

async function receive(
  { memory, ...directory }: Directory & { memory: Memory },
  grant: SignedGrant,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const bytes = Number(request.headers['content-length'] ?? Number.NaN)
  if (bytes > maxObjectBytes) return refuse(request, response, 413)
  try {
    if (bytes <= Math.min(maxBytesAtOnce, memory.freeBytes)) {
      await receiveAtOnce({ ...directory, memory }, { key: grant.key, request, bytes })
    } else {
      await writeObject(directory, { key: grant.key, body: capped(request) })
    }
  } catch (error) {
    if (error instanceof TooLargeError) return refuse(request, response, 413)
    if (error instanceof FarmError && error.code === 'disk_full') {
      // Reads the rest first: closing on a sender in mid-body would show it a reset instead of the
      // answer.
      await finished(request.resume(), { writable: false })
      return refuse(request, response, 507)
    }
    throw error
  }
  response.statusCode = 200
  response.end()
}

/** Largest object that is buffered in memory until it is written: less work than a stream. */
const maxBytesAtOnce = 1024 * 1024
const heldBytesMost = 64 * 1024 * 1024

/** Memory left for further objects. */
type Memory = { freeBytes: number }

async function receiveAtOnce(
  { memory, ...directory }: Directory & { memory: Memory },
  { key, request, bytes }: { key: string; request: IncomingMessage; bytes: number },
): Promise<void> {
  memory.freeBytes -= bytes
  try {
    await writeObject(directory, { key, body: await readWhole(request) })
  } finally {
    memory.freeBytes += bytes
  }
}

/**
 * Reads the body of a request with a known length; the parser ends it there. Rejects when it breaks
 * off.
 */
async function readWhole(request: IncomingMessage): Promise<readonly Buffer[]> {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  await finished(request, { writable: false })
  return chunks
}

class TooLargeError extends Error {}

/**
 * Limits the request's body: it fails when the body grows too large or breaks off. A reader that
 * gives up leaves the request open, so that it can be answered.
 */
function capped(request: IncomingMessage): Readable {
  async function* chunks(): AsyncGenerator<Buffer> {
    let bytes = 0
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      bytes += chunk.length
      if (bytes > maxObjectBytes) throw new TooLargeError()
      yield chunk
    }
  }
  return Readable.from(chunks(), { objectMode: false })
}

/** Answers every refusal with the same text: a URL's holder learns nothing about other objects. */
function refuse(request: IncomingMessage, response: ServerResponse, status: number): void {
  response.statusCode = status
  response.removeHeader('content-length')
  // A body that will not be read ends the connection instead of being swallowed.
  if (!request.complete && request.method === 'PUT') response.setHeader('connection', 'close')
  response.setHeader('content-type', 'text/plain')
  response.end(`${refusals[status] ?? 'The object could not be served.'}\n`)
}

const refusals: Readonly<Record<number, string>> = {
  403: 'The URL must be signed by the farm, for this method, and not be over.',
  404: 'The object is not there.',
  413: `An object must have at most ${maxObjectBytes} bytes.`,
  416: 'The range must lie inside the object.',
  507: 'The disk of the object store is full.',
}

/** The client has gone away; no answer can reach it. */
function isGone(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return (
    code === 'ERR_STREAM_PREMATURE_CLOSE' ||
    code === 'ECONNRESET' ||
    code === 'ERR_STREAM_DESTROYED'
  )
}
