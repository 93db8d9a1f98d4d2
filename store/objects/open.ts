import { fileURLToPath } from 'node:url'
import { type Env, EnvError, readText } from '../../runtime/env.ts'
import type { Log } from '../../runtime/log.ts'
import { openDirectory } from './directory.ts'
import { createDirectoryDoor, type DirectoryDoor } from './directory-door.ts'
import type { ObjectStore } from './object-store.ts'
import { openS3, type S3Address } from './s3.ts'

const rule = 'file:/directory or s3://KEY:SECRET@host[:port]/bucket[?ssl=0&region=…]'

/** FARM_OBJECTS, checked. */
export function readObjectsUrl(env: Env): URL {
  const text = readText(env, 'FARM_OBJECTS', rule)
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol === 'file:' && url.host === '') return url
  if (url?.protocol === 's3:' && url.username && url.password && bucketOf(url)) return url
  // The text holds a secret, so it is not repeated.
  throw new EnvError('FARM_OBJECTS', rule, url ? `${url.protocol}…` : '(not a URL)')
}

/**
 * The store that FARM_OBJECTS names. Opening and signing touch no disk and no network; call
 * `prepare` before the first write. `publicUrl` and `secret` are for a directory's signed URLs.
 */
export function openObjectStore(
  url: URL,
  { publicUrl, secret }: { publicUrl: string; secret: string },
): ObjectStore {
  if (url.protocol === 'file:')
    return openDirectory({ root: fileURLToPath(url), publicUrl, secret })
  return openS3(readS3(url))
}

/** The door that the api serves at /objects/, or undefined when S3 serves its URLs itself. */
export function openObjectDoor(
  url: URL,
  { secret, log }: { secret: string; log: Log },
): DirectoryDoor | undefined {
  if (url.protocol !== 'file:') return undefined
  return createDirectoryDoor({ root: fileURLToPath(url), secret, log })
}

function readS3(url: URL): S3Address {
  return {
    accessKey: decodeURIComponent(url.username),
    secretKey: decodeURIComponent(url.password),
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
