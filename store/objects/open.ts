import { fileURLToPath } from 'node:url'
import { type Env, EnvError, readBaseUrl, readText } from '../../runtime/env.ts'
import type { Log } from '../../runtime/log.ts'
import { openDirectory } from './directory.ts'
import type { ObjectStore } from './object-store.ts'
import { openS3, type S3Address } from './s3.ts'
import { createSignedFileServer, type SignedFileServer } from './signed-file-server.ts'

const rule =
  'file:/directory, s3://KEY:SECRET@host[:port]/bucket[?ssl=0&region=…], or the same without KEY:SECRET@'

/** Reads and checks FARM_OBJECTS. */
export function readObjectsUrl(env: Env): URL {
  const text = readText(env, 'FARM_OBJECTS', rule)
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol === 'file:' && url.host === '') return url
  if (url?.protocol === 's3:' && url.host && bucketOf(url)) {
    if (url.username && url.password) return url
    if (url.username === '' && url.password === '') return checkAmbient(env, url)
  }
  // The text holds a secret, so it is not repeated.
  throw new EnvError('FARM_OBJECTS', rule, url ? `${url.protocol}…` : '(not a URL)')
}

/** Half a pair would be ignored silently, and other credentials be used. */
function checkAmbient(env: Env, url: URL): URL {
  const names = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']
  const absent = names.filter((name) => !env[name])
  if (absent.length !== 1) return url
  const [name = ''] = absent
  throw new EnvError(name, `set where ${names.find((each) => each !== name)} is`, env[name])
}

/** Reads FARM_OBJECTS_PUBLIC: the customers' address of the bucket, when nodes use another. */
export function readObjectsPublicUrl(env: Env): string | undefined {
  const name = 'FARM_OBJECTS_PUBLIC'
  if (!env[name]) return undefined
  const url = new URL(readBaseUrl(env, name))
  // Signatures cover host and path, so the store must see both as they are here.
  if (url.pathname !== '/' || url.search || url.hash || url.username || url.password) {
    throw new EnvError(name, 'http(s)://host[:port] alone', `${url.origin}/…`)
  }
  if (readObjectsUrl(env).protocol !== 's3:') {
    throw new EnvError(name, 'unset where FARM_OBJECTS is a directory', env[name])
  }
  return url.origin
}

/**
 * Opens the store that FARM_OBJECTS names. Opening touches no disk and no network; call `prepare`
 * before the first write. `publicUrl` and `secret` are for a directory's signed URLs,
 * `objectsPublicUrl` for customers' URLs of a bucket.
 */
export function openObjectStore(
  url: URL,
  {
    publicUrl,
    secret,
    objectsPublicUrl,
  }: { publicUrl: string; secret: string; objectsPublicUrl?: string | undefined },
): ObjectStore {
  if (url.protocol === 'file:')
    return openDirectory({ root: fileURLToPath(url), publicUrl, secret })
  return openS3(readS3(url), objectsPublicUrl)
}

/**
 * Opens the file server that the api mounts at /objects/; undefined when S3 serves its URLs itself.
 */
export function openFileServer(
  url: URL,
  { secret, log }: { secret: string; log: Log },
): SignedFileServer | undefined {
  if (url.protocol !== 'file:') return undefined
  return createSignedFileServer({ root: fileURLToPath(url), secret, log })
}

function readS3(url: URL): S3Address {
  return {
    keys: url.username
      ? {
          accessKey: decodeURIComponent(url.username),
          secretKey: decodeURIComponent(url.password),
        }
      : undefined,
    host: url.hostname,
    port: url.port === '' ? undefined : Number(url.port),
    ssl: url.searchParams.get('ssl') !== '0',
    region: url.searchParams.get('region') ?? 'us-east-1',
    bucket: bucketOf(url),
  }
}

function bucketOf(url: URL): string {
  return /^\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])\/?$/.exec(url.pathname)?.[1] ?? ''
}
