import { createHmac, timingSafeEqual } from 'node:crypto'
import { isKey } from './keys.ts'

/** Permission for one operation on one object of a directory store, until a moment. */
export type SignedGrant = {
  readonly method: 'GET' | 'PUT'
  readonly key: string
  /** Unix time, seconds. */
  readonly expires: number
  readonly filename: string
  readonly contentType: string
  /** Absent: browsers may show it. */
  readonly isDownload?: boolean
}

const objectsPath = '/objects/'

/**
 * Signs `<base>/objects/<key>?expires=&method=&signature=`, with the names of the answer when
 * given.
 */
export function signUrl({
  base,
  secret,
  grant,
}: {
  base: string
  secret: string
  grant: SignedGrant
}): string {
  const query = new URLSearchParams({ expires: String(grant.expires), method: grant.method })
  if (grant.filename !== '') query.set('filename', grant.filename)
  if (grant.contentType !== '') query.set('contentType', grant.contentType)
  if (grant.isDownload) query.set('download', '1')
  query.set('signature', signatureOf(grant, secret).toString('hex'))
  return `${base}${objectsPath}${grant.key}?${query}`
}

/**
 * Reads the grant in a request's path and query; undefined when the path is no key, the signature
 * is not ours, or it has expired.
 */
export function readGrant({
  url,
  secret,
  now,
}: {
  url: string
  secret: string
  now: Date
}): SignedGrant | undefined {
  const [path = '', search = ''] = url.split('?', 2)
  const key = path.startsWith(objectsPath) ? path.slice(objectsPath.length) : ''
  const query = new URLSearchParams(search)
  const method = query.get('method')
  const expires = query.get('expires') ?? ''
  if (!isKey(key) || !/^\d{1,12}$/.test(expires)) return undefined
  if (method !== 'GET' && method !== 'PUT') return undefined
  const grant: SignedGrant = {
    method,
    key,
    expires: Number(expires),
    filename: query.get('filename') ?? '',
    contentType: query.get('contentType') ?? '',
    ...(query.get('download') === '1' && { isDownload: true }),
  }
  const given = Buffer.from(query.get('signature') ?? '', 'hex')
  const right = signatureOf(grant, secret)
  if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined
  return grant.expires * 1000 > now.getTime() ? grant : undefined
}

/** JSON keeps the parts apart: no part can pretend to be two. */
function signatureOf(grant: SignedGrant, secret: string): Buffer {
  const { method, key, expires, filename, contentType, isDownload } = grant
  const parts = [method, key, expires, filename, contentType]
  return createHmac('sha256', secret)
    .update(JSON.stringify(isDownload ? [...parts, 'download'] : parts))
    .digest()
}
