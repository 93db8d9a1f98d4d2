import type { Readable } from 'node:stream'

/** Store of the farm's bytes: S3 (s3.ts) or one machine's directory (directory.ts). */
export type ObjectStore = {
  /** Creates the bucket or the directory when it is missing. */
  prepare(): Promise<void>
  /** Writes an object atomically: no reader ever sees half of it. */
  put(key: string, body: ObjectBody): Promise<void>
  /** Streams the object's bytes. @throws ObjectMissingError */
  get(key: string): Promise<Readable>
  /** Reads a small object as a whole. @throws ObjectMissingError */
  read(key: string): Promise<Buffer>
  /** Reads a part of an object; shorter where the object ends. @throws ObjectMissingError */
  readRange(key: string, range: ByteRange): Promise<Buffer>
  stat(key: string): Promise<ObjectFacts | undefined>
  /** Copies an object of at most `maxCopyBytes` inside the store. @throws ObjectMissingError */
  copy(from: string, to: string): Promise<void>
  /** Removes objects; missing ones are skipped. */
  remove(keys: readonly string[]): Promise<void>
  /** Removes every object under a prefix such as `accounts/1/tasks/`. */
  removePrefix(prefix: string): Promise<void>
  /** Lists the objects under a prefix; those with one longer prefix follow each other. */
  list(prefix: string): AsyncIterable<ListedObject>
  /**
   * Returns the validity of a URL signed now, at most `wanted`: none outlives the store's
   * credentials.
   */
  urlSeconds(wanted: number): Promise<number>
  /** Signs a URL that reads (GET, HEAD) exactly this object for `seconds`. */
  signGet(key: string, options: SignGetOptions): Promise<string>
  /** Signs a URL that writes (PUT) exactly this object for `seconds`. */
  signPut(key: string, options: { readonly seconds: number }): Promise<string>
}

/** The part of a store that links of answers need. */
export type LinkSigner = Pick<ObjectStore, 'signGet' | 'urlSeconds'>

/** Bytes, a stream of them, or a file. */
export type ObjectBody = Buffer | Readable | { readonly path: string }

export type ByteRange = { readonly from: number; readonly bytes: number }

export type ObjectFacts = { readonly bytes: number; readonly modified: Date }

export type ListedObject = ObjectFacts & { readonly key: string }

/**
 * `filename`: offered by browsers when they save it. `isDownload`: browsers save it instead of showing
 * it. `contentType`: type of the answer.
 * `forCustomer`: uses the customers' address of the store instead of the nodes'.
 */
export type SignGetOptions = {
  readonly seconds: number
  readonly filename?: string
  readonly isDownload?: boolean
  readonly contentType?: string
  readonly forCustomer?: boolean
}

/** An object's size limit, bytes: 8 GB. */
export const maxObjectBytes = 8_000_000_000

/** Largest object that S3 copies in one call. */
export const maxCopyBytes = 5 * 2 ** 30

export class ObjectMissingError extends Error {
  readonly key: string

  constructor(key: string, options: { cause?: unknown } = {}) {
    super(`An object must be in the store to be read. Got ${key}, which is not there`, options)
    this.name = 'ObjectMissingError'
    this.key = key
  }
}

/**
 * Formats the header by RFC 6266 with RFC 8187, so that any name survives and none can break out of
 * the header.
 */
export function contentDisposition(filename: string, isDownload = false): string {
  const plain = filename.replace(/[^A-Za-z0-9._ -]/g, '_')
  const encoded = encodeURIComponent(filename.toWellFormed()).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  const shown = isDownload ? 'attachment' : 'inline'
  return `${shown}; filename="${plain}"; filename*=UTF-8''${encoded}`
}
