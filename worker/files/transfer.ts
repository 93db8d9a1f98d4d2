import { createReadStream, createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'
import { FarmError } from '../../core/errors.ts'
import { isDiskFullError } from './disk-space.ts'
import { readWhole } from './read-whole.ts'

/**
 * Waits between retries. A store that is away for half a minute is retried; a refused URL is not.
 */

const waitsMs = [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 16_000]
const headersTimeoutMs = 30_000
const bodyTimeoutMs = 60_000
/** 507 Insufficient Storage (RFC 4918), as MinIO and the farm's own file server send it. */
const storeFull = 507

type Transfer = { readonly url: string; readonly signal: AbortSignal }

/** Writes the object to a file. Errors: FarmError `store_unavailable`, and the disk's own. */
export async function getObject({ url, signal, to }: Transfer & { to: string }): Promise<void> {
  await retried(signal, async () => {
    await pipeline(await askFor({ url, signal }), createWriteStream(to), { signal })
  })
}

/**
 * Returns the object's bytes; for objects of the farm itself that are read as a whole. Errors:
 * FarmError `store_unavailable`.
 */
export async function readObject({ url, signal }: Transfer): Promise<Buffer> {
  return await retried(signal, async () => {
    const body = await askFor({ url, signal })
    return Buffer.from(await body.arrayBuffer())
  })
}

async function askFor({ url, signal }: Transfer) {
  const { statusCode, body } = await request(url, {
    signal,
    headersTimeout: headersTimeoutMs,
    bodyTimeout: bodyTimeoutMs,
  })
  if (statusCode === 200) return body
  await body.dump()
  throw new RefusedError('GET', statusCode)
}

/** Writes a file or bytes to the object. Errors: FarmError `store_unavailable`, `disk_full`. */
export async function putObject({
  url,
  signal,
  from,
}: Transfer & { from: string | Buffer }): Promise<void> {
  const bytes = typeof from === 'string' ? (await stat(from)).size : from.length
  await retried(signal, async () => {
    const { statusCode, body } = await request(url, {
      method: 'PUT',
      body: typeof from === 'string' ? await bodyOf(from, bytes) : from,
      headers: { 'content-length': String(bytes) },
      signal,
      headersTimeout: headersTimeoutMs,
      bodyTimeout: bodyTimeoutMs,
    })
    await body.dump()
    if (statusCode === storeFull) {
      throw new FarmError('disk_full', 'The store of the farm has no room for what was made.')
    }
    if (statusCode < 200 || statusCode > 299) throw new RefusedError('PUT', statusCode)
  })
}

/** Files up to this size are sent from memory; larger ones are read in chunks of this size. */
const atOnceBytes = 1024 * 1024

async function bodyOf(file: string, bytes: number): Promise<Buffer | Readable> {
  if (bytes <= atOnceBytes) return await readWhole(file)
  return createReadStream(file, { highWaterMark: atOnceBytes })
}

class RefusedError extends Error {
  readonly statusCode: number

  constructor(method: string, statusCode: number) {
    super(`the object store answered a ${method} with ${statusCode}`)
    this.statusCode = statusCode
  }
}

async function retried<T>(signal: AbortSignal, attempt: () => Promise<T>): Promise<T> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await attempt()
    } catch (error) {
      signal.throwIfAborted()
      if (isDiskFullError(error)) throw error
      const waitMs = waitsMs[failures]
      if (waitMs === undefined || !mayPass(error)) {
        throw new FarmError('store_unavailable', 'The object store cannot be reached.', {
          cause: error,
        })
      }
      await sleep(waitMs, undefined, { signal })
    }
  }
}

/** Returns whether a retry may help: a refusal of the client's making (4xx) repeats itself. */
function mayPass(error: unknown): boolean {
  if (!(error instanceof RefusedError)) return true
  return error.statusCode >= 500 || error.statusCode === 408 || error.statusCode === 429
}
