import type { Readable } from 'node:stream'

/** Where the farm keeps bytes: S3 (s3.ts) or one machine's directory (directory.ts). */
export type ObjectStore = {
  /** Makes the bucket or the directory when it is missing. */
  prepare(): Promise<void>
  /** Writes an object as a whole: nobody ever reads a half of it. */
  put(key: string, body: ObjectBody): Promise<void>
  /** A stream of the object's bytes. @throws ObjectMissingError */
  get(key: string): Promise<Readable>
  /** The object's bytes at once, for small ones. @throws ObjectMissingError */
  read(key: string): Promise<Buffer>
  stat(key: string): Promise<ObjectFacts | undefined>
  /** Another object of the same bytes, at most `maxCopyBytes`, made in the store. @throws ObjectMissingError */
  copy(from: string, to: string): Promise<void>
  /** Objects that are not there are passed over. */
  remove(keys: readonly string[]): Promise<void>
  /** Removes every object under a prefix such as `accounts/1/tasks/`. */
  removePrefix(prefix: string): Promise<void>
  /** How long a URL signed now will be good, of `wanted`: none outlives the store's credentials. */
  urlSeconds(wanted: number): Promise<number>
  /** A URL that reads (GET, HEAD) exactly this object for so many seconds. */
  signGet(key: string, options: SignGetOptions): Promise<string>
  /** A URL that writes (PUT) exactly this object for so many seconds. */
  signPut(key: string, options: { readonly seconds: number }): Promise<string>
}

/** Bytes, a stream of them, or a file. */
export type ObjectBody = Buffer | Readable | { readonly path: string }

export type ObjectFacts = { readonly bytes: number; readonly modified: Date }

/**
 * `filename`: offered by browsers when they save it. `contentType`: what the answer says it is.
 * `forCustomer`: leads to where customers reach the store; without it, to where nodes do.
 */
export type SignGetOptions = {
  readonly seconds: number
  readonly filename?: string
  readonly contentType?: string
  readonly forCustomer?: boolean
}

/** An object's size limit, bytes: 8 GB. */
export const maxObjectBytes = 8_000_000_000

/** What S3 copies in one call. */
export const maxCopyBytes = 5 * 2 ** 30

export class ObjectMissingError extends Error {
  readonly key: string

  constructor(key: string, options: { cause?: unknown } = {}) {
    super(`An object must be in the store to be read. Got ${key}, which is not there`, options)
    this.name = 'ObjectMissingError'
    this.key = key
  }
}

/** RFC 6266 with RFC 8187, so that any name survives and none can break out of the header. */
export function contentDisposition(filename: string): string {
  const plain = filename.replace(/[^A-Za-z0-9._ -]/g, '_')
  const encoded = encodeURIComponent(filename.toWellFormed()).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `inline; filename="${plain}"; filename*=UTF-8''${encoded}`
}
