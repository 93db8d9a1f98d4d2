import http from 'node:http'
import https from 'node:https'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import {
  Client,
  type ClientOptions,
  CopyDestinationOptions,
  CopySourceOptions,
  S3Error,
} from 'minio'
import { FarmError } from '../../core/errors.ts'
import { checkKey, checkPrefix } from './keys.ts'
import {
  contentDisposition,
  type ObjectBody,
  ObjectMissingError,
  type ObjectStore,
} from './object-store.ts'
import { AmbientCredentials } from './s3-credentials.ts'

export type S3Address = {
  /** Absent: taken from the environment (s3-credentials.ts). */
  readonly keys: { readonly accessKey: string; readonly secretKey: string } | undefined
  readonly host: string
  readonly port: number | undefined
  readonly ssl: boolean
  readonly region: string
  readonly bucket: string
}

/** Silence after which a store counts as away. */
const idleTimeoutMs = 30_000
/** One part is buffered in memory while a stream is sent. */
const partBytes = 16 * 1024 * 1024
const removeBatch = 1000

/** Refusals after which credentials are read again: they ended or were replaced. */
const refusals = ['InvalidAccessKeyId', 'SignatureDoesNotMatch', 'ExpiredToken', 'InvalidTokenId']

/**
 * Opens a bucket of S3, MinIO or a compatible service. Signing needs no network, except to renew
 * credentials at times. Customers' URLs lead to `publicUrl`, where there is one.
 */
export function openS3(address: S3Address, publicUrl?: string): ObjectStore {
  const { bucket, region } = address
  const ambient = address.keys === undefined ? new AmbientCredentials(region) : undefined
  const client = connect(address, ambient)
  const guard = guardedBy(ambient)
  return {
    async prepare() {
      await guard('', async () => {
        if (await client.bucketExists(bucket)) return
        await client.makeBucket(bucket, region).catch((error: unknown) => {
          // Another role created it in between.
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
    async readRange(key, { from, bytes }) {
      checkKey(key)
      return await guard(key, async () =>
        buffer(await client.getPartialObject(bucket, key, from, bytes)),
      )
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
        await guard('', () =>
          removeAll(client, { bucket, keys: names.slice(at, at + removeBatch) }),
        )
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
    async *list(prefix) {
      const listed = client.listObjectsV2(bucket, checkPrefix(prefix), true)[Symbol.asyncIterator]()
      for (;;) {
        const { done, value } = await guard(prefix, () => listed.next())
        if (done) return
        const { name, size: bytes, lastModified: modified } = value
        if (name !== undefined) yield { key: name, bytes, modified }
      }
    },
    ...signing(address, { client, ambient, publicUrl }),
  }
}

function signing(
  address: S3Address,
  {
    client,
    ambient,
    publicUrl,
  }: {
    client: Client
    ambient: AmbientCredentials | undefined
    publicUrl: string | undefined
  },
): Pick<ObjectStore, 'urlSeconds' | 'signGet' | 'signPut'> {
  const { bucket } = address
  const publicClient = publicUrl ? connect({ ...address, ...hostOf(publicUrl) }, ambient) : client
  const urlSeconds = async (wanted: number) => (await ambient?.urlSeconds(wanted)) ?? wanted
  return {
    urlSeconds: (wanted) => named('', () => urlSeconds(wanted)),
    async signGet(key, { seconds, filename, isDownload, contentType, forCustomer = false }) {
      checkKey(key)
      const signer = forCustomer ? publicClient : client
      const headers = {
        ...(filename !== undefined && {
          'response-content-disposition': contentDisposition(filename, isDownload),
        }),
        ...(contentType !== undefined && { 'response-content-type': contentType }),
      }
      return await named(key, async () =>
        signer.presignedGetObject(bucket, key, await urlSeconds(seconds), headers),
      )
    },
    async signPut(key, { seconds }) {
      checkKey(key)
      return await named(key, async () =>
        client.presignedPutObject(bucket, key, await urlSeconds(seconds)),
      )
    },
  }
}

function hostOf(publicUrl: string): Pick<S3Address, 'host' | 'port' | 'ssl'> {
  const { hostname: host, port, protocol } = new URL(publicUrl)
  return { host, port: port === '' ? undefined : Number(port), ssl: protocol === 'https:' }
}

function connect(
  { keys, host, port, ssl, region }: S3Address,
  ambient: AmbientCredentials | undefined,
): Client {
  const { request } = ssl ? https : http
  return new Client({
    endPoint: host,
    ...(port !== undefined && { port }),
    useSSL: ssl,
    ...keys,
    ...(ambient && { credentialsProvider: providerOf(ambient) }),
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

/**
 * Provides credentials to the client, which asks before each call. The client does not export the
 * class whose methods it calls.
 */
function providerOf(ambient: AmbientCredentials) {
  const provider = {
    async getCredentials() {
      const { accessKey, secretKey, sessionToken } = await ambient.keys()
      return {
        getAccessKey: () => accessKey,
        getSecretKey: () => secretKey,
        getSessionToken: () => sessionToken,
      }
    },
  }
  return provider as unknown as NonNullable<ClientOptions['credentialsProvider']>
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
  const answers = await client.removeObjects(bucket, [...keys])
  const refused = answers.find((answer) => answer?.Error !== undefined)
  if (refused !== undefined) {
    throw new FarmError('store_unavailable', 'The object store did not remove an object.', {
      cause: refused,
    })
  }
}

function guardedBy(ambient: AmbientCredentials | undefined): typeof named {
  return async (key, work) => {
    try {
      return await named(key, work)
    } catch (error) {
      const { cause } = error as Error
      if (refusals.some((code) => isCode(cause, code))) ambient?.forget()
      throw error
    }
  }
}

/** Maps the store's errors to the farm's. An error without an S3 code comes from the network. */
async function named<T>(key: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (isCode(error, 'NoSuchKey') || isCode(error, 'NotFound')) {
      throw new ObjectMissingError(key, { cause: error })
    }
    if (isCode(error, 'XMinioStorageFull')) {
      throw new FarmError('disk_full', 'The object store is full.', { cause: error })
    }
    // The client wraps errors of the credentials' source.
    for (const each of [error, (error as Error).cause]) if (each instanceof FarmError) throw each
    throw new FarmError('store_unavailable', 'The object store could not do its work.', {
      cause: error,
    })
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof S3Error && error.code === code
}
