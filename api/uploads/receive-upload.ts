import { createHash, randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { FarmError } from '../../core/errors.ts'
import { mediaBytes } from '../../core/limits.ts'
import { tellingBytes } from '../../runtime/media/sniff.ts'
import { beginUpload, type UploadedSoFar } from '../../store/db/uploads/begin-upload.ts'
import { deleteUpload } from '../../store/db/uploads/delete-upload.ts'
import { finishUpload } from '../../store/db/uploads/finish-upload.ts'
import type { Upload } from '../../store/db/uploads/get-upload.ts'
import type { ObjectStore } from '../../store/objects/object-store.ts'
import type { Caller } from '../gateway/caller.ts'
import { derivedId } from '../gateway/derived-id.ts'
import { ProblemError } from '../gateway/problem.ts'
import { mediumTypeOf } from './media-types.ts'

type Receiving = {
  readonly raw: IncomingMessage
  readonly name: string
  readonly account: Pick<Caller, 'accountId' | 'limits'>
  readonly db: Parameters<typeof beginUpload>[0]
  readonly objects: Pick<ObjectStore, 'put'>
}

/**
 * Streams a file into the store and hashes it on the way; no more of it than its beginning is ever in
 * memory. Nothing of a refused or broken upload remains.
 * @throws FarmError with the field `file`
 */
export async function receiveUpload({
  raw,
  name,
  account: { accountId, limits },
  db,
  objects,
}: Receiving): Promise<{ readonly upload: Upload; readonly isNew: boolean }> {
  const bytes = lengthOf(raw)
  const { beginning, rest } = await readBeginning(raw)
  try {
    const medium = await mediumTypeOf(beginning)
    if (bytes > mediaBytes[medium.kind]) throw tooLarge(bytes, mediaBytes[medium.kind])
    const uploadId = `upl_${derivedId(randomUUID())}`
    const objectKey = `accounts/${accountId}/uploads/${uploadId}`
    const had = await beginUpload(db, {
      ...{ id: uploadId, accountId, objectKey, bytes, name, ...medium },
      ...{ uploadsMost: limits.uploads, bytesMost: limits.storedGigabytes * gigabyte },
    })
    if (had) throw beyondPlan(had, limits)
    try {
      const hash = createHash('sha256')
      const body = Readable.from(hashed(hash, beginning, rest), { objectMode: false })
      await objects.put(objectKey, body)
      return await finishUpload(db, { accountId, uploadId, digest: hash.digest('hex') })
    } catch (error) {
      await deleteUpload(db, { accountId, uploadId })
      throw error
    }
  } finally {
    void rest.return?.()
  }
}

const gigabyte = 1e9
const largest = Math.max(...Object.values(mediaBytes))

function lengthOf({ headers }: IncomingMessage): number {
  const bytes = Number(headers['content-length'] ?? 0)
  if (bytes > largest) throw tooLarge(bytes, largest)
  if (bytes > 0) return bytes
  const rule = 'The body must be a file, and Content-Length its bytes'
  throw new FarmError('invalid_request', `${rule}. Got none`, { field: 'file' })
}

type Beginning = { readonly beginning: Buffer; readonly rest: AsyncIterator<Buffer> }

/** A reader that gives up leaves the request open, so that it can be answered. */
async function readBeginning(raw: IncomingMessage): Promise<Beginning> {
  const rest: AsyncIterator<Buffer> = raw.iterator({ destroyOnReturn: false })
  const chunks: Buffer[] = []
  for (let bytes = 0; bytes < tellingBytes; ) {
    const { done, value } = await rest.next()
    if (done) break
    chunks.push(value)
    bytes += value.length
  }
  return { beginning: Buffer.concat(chunks), rest }
}

async function* hashed(
  hash: ReturnType<typeof createHash>,
  beginning: Buffer,
  rest: AsyncIterator<Buffer>,
): AsyncGenerator<Buffer> {
  hash.update(beginning)
  yield beginning
  for (let next = await rest.next(); !next.done; next = await rest.next()) {
    hash.update(next.value)
    yield next.value
  }
}

function tooLarge(bytes: number, most: number): FarmError {
  const message = `The file must have <= ${most} bytes. Got ${bytes}`
  return new FarmError('media_too_large', message, { field: 'file' })
}

/** Names the limit that is met. Deleting an upload makes room at once. */
function beyondPlan({ uploads }: UploadedSoFar, limits: Caller['limits']): ProblemError {
  const most =
    uploads >= limits.uploads
      ? `<= ${limits.uploads} uploads`
      : `<= ${limits.storedGigabytes} GB of uploads`
  const message = `An account must have ${most} on this plan. Got more; delete one to make room`
  return new ProblemError('plan_limit', message, {
    extra: { planLimits: { ...limits } },
    details: [{ field: 'file', code: 'plan_limit', message }],
  })
}
