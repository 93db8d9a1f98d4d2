import http from 'node:http'
import https from 'node:https'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { Client, CopyDestinationOptions, CopySourceOptions, S3Error } from 'minio'
import { FarmError } from '../../core/errors.ts'
import { checkKey, checkPrefix } from './keys.ts'
import {
  contentDisposition,
  type ObjectBody,
  ObjectMissingError,
  type ObjectStore,
} from './object-store.ts'

export type S3Address = {
  readonly accessKey: string
  readonly secretKey: string
  readonly host: string
  readonly port: number | undefined
  readonly ssl: boolean
  readonly region: string
  readonly bucket: string
}

/** A store that says nothing for so long counts as away. */
const idleTimeoutMs = 30_000
/** One part is buffered in memory while a stream is sent. */
const partBytes = 16 * 1024 * 1024
const removeBatch = 1000

/** Objects in a bucket of S3, MinIO or anything that speaks like them. Signing asks nobody. */
export function openS3(address: S3Address): ObjectStore {
  const { bucket, region } = address
  const client = connect(address)
  return {
    async prepare() {
      await guard('', async () => {
        if (await client.bucketExists(bucket)) return
        await client.makeBucket(bucket, region).catch((error: unknown) => {
          // Another role made it in between.
          if (!isCode(error, 'BucketAlreadyOwnedByYou')) throw error
        })
      })
    },
    async put(key, body) {
      checkKey(key)
      await guard(key, () => putBody(client, { bucket, key, body }))
    },
    async get(key) {
      checkKey(key)
      return await guard(key, () => client.getObject(bucket, key))
    },
    async read(key) {
      checkKey(key)
      return await guard(key, async () => await buffer(await client.getObject(bucket, key)))
    },
    async stat(key) {
      checkKey(key)
      try {
        const facts = await guard(key, () => client.statObject(bucket, key))
        return { bytes: facts.size, modified: facts.lastModified }
      } catch (error) {
        if (error instanceof ObjectMissingError) return undefined
        throw error
      }
    },
    async copy(from, to) {
      const source = new CopySourceOptions({ Bucket: bucket, Object: checkKey(from) })
      const target = new CopyDestinationOptions({ Bucket: bucket, Object: checkKey(to) })
      await guard(from, () => client.copyObject(source, target))
    },
    async remove(keys) {
      const names = keys.map(checkKey)
      for (let at = 0; at < names.length; at += removeBatch) {
        await removeAll(client, { bucket, keys: names.slice(at, at + removeBatch) })
      }
    },
    async removePrefix(prefix) {
      const listed = client.listObjectsV2(bucket, checkPrefix(prefix), true)
      const keys: string[] = []
      await guard(prefix, async () => {
        for await (const item of listed) if (item.name !== undefined) keys.push(item.name)
      })
      await this.remove(keys)
    },
    async signGet(key, { seconds, filename, contentType }) {
      return await client.presignedGetObject(bucket, checkKey(key), seconds, {
        ...(filename !== undefined && {
          'response-content-disposition': contentDisposition(filename),
        }),
        ...(contentType !== undefined && { 'response-content-type': contentType }),
      })
    },
    async signPut(key, { seconds }) {
      return await client.presignedPutObject(bucket, checkKey(key), seconds)
    },
  }
}

function connect({ accessKey, secretKey, host, port, ssl, region }: S3Address): Client {
  const { request } = ssl ? https : http
  return new Client({
    endPoint: host,
    ...(port !== undefined && { port }),
    useSSL: ssl,
    accessKey,
    secretKey,
    // Given, so that signing never has to ask the server for it.
    region,
    partSize: partBytes,
    // Its retries print to the console; callers retry by their own rules.
    retryOptions: { disableRetry: true },
    transport: {
      request: ((options: http.RequestOptions, onResponse?: (r: http.IncomingMessage) => void) => {
        const asked = request(options, onResponse)
        asked.setTimeout(idleTimeoutMs, () =>
          asked.destroy(new Error(`The object store said nothing for ${idleTimeoutMs} ms.`)),
        )
        return asked
      }) as typeof http.request,
    },
  })
}

async function putBody(
  client: Client,
  { bucket, key, body }: { bucket: string; key: string; body: ObjectBody },
): Promise<void> {
  if (Buffer.isBuffer(body)) await client.putObject(bucket, key, body, body.length)
  else if ('path' in body && typeof body.path === 'string' && !('pipe' in body)) {
    await client.fPutObject(bucket, key, body.path)
  } else await putStream(client, { bucket, key, body: body as Readable })
}

/** The client waits for ever when its source breaks, so the source's error is raced against it. */
async function putStream(
  client: Client,
  { bucket, key, body }: { bucket: string; key: string; body: Readable },
): Promise<void> {
  const { promise: broken, reject } = Promise.withResolvers<never>()
  body.once('error', reject)
  try {
    await Promise.race([client.putObject(bucket, key, body), broken])
  } catch (error) {
    await client.removeIncompleteUpload(bucket, key).catch(() => undefined)
    throw error
  } finally {
    body.off('error', reject)
  }
}

async function removeAll(
  client: Client,
  { bucket, keys }: { bucket: string; keys: readonly string[] },
): Promise<void> {
  const answers = await guard('', () => client.removeObjects(bucket, [...keys]))
  const refused = answers.find((answer) => answer?.Error !== undefined)
  if (refused !== undefined) {
    throw new FarmError('store_unavailable', 'The object store did not remove an object.', {
      cause: refused,
    })
  }
}

/** Gives the store's errors the farm's names. Those without a name of S3 come from the network. */
async function guard<T>(key: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (isCode(error, 'NoSuchKey') || isCode(error, 'NotFound')) {
      throw new ObjectMissingError(key, { cause: error })
    }
    if (isCode(error, 'XMinioStorageFull')) {
      throw new FarmError('disk_full', 'The object store is full.', { cause: error })
    }
    throw new FarmError('store_unavailable', 'The object store could not do its work.', {
      cause: error,
    })
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof S3Error && error.code === code
}
