import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { link, mkdir, open, readdir, readFile, rename, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { FarmError } from '../../core/errors.ts'
import { Batcher, KeyedBatcher } from '../../runtime/batcher.ts'
import { checkKey, checkPrefix } from './keys.ts'
import {
  type ListedObject,
  type ObjectBody,
  ObjectMissingError,
  type ObjectStore,
  type SignGetOptions,
} from './object-store.ts'
import { signUrl } from './signed-url.ts'

/** Objects are files under `objects/`; unfinished ones are in `writing/` beside it. */
export type Directory = { readonly root: string }

/**
 * Opens an object store in a directory of one machine. Its signed URLs lead to the api.
 * `publicUrl`: the api's address; `secret`: shared by all roles of the farm.
 */
export function openDirectory({
  root,
  publicUrl,
  secret,
}: Directory & { publicUrl: string; secret: string }): ObjectStore {
  const directory = { root }
  const sign = (method: 'GET' | 'PUT', key: string, options: SignOptions) =>
    signUrl({
      base: publicUrl,
      secret,
      grant: {
        method,
        key: checkKey(key),
        expires: Math.ceil(Date.now() / 1000 + options.seconds),
        filename: options.filename ?? '',
        contentType: options.contentType ?? '',
        ...(options.isDownload && { isDownload: true }),
      },
    })
  return {
    async prepare() {
      await mkdir(join(root, 'objects'), { recursive: true })
      await prepareWriting(directory)
    },
    async put(key, body) {
      await writeObject(directory, { key, body })
    },
    async get(key) {
      const file = await orMissing(key, open(objectPath(directory, key)))
      return file.createReadStream()
    },
    async read(key) {
      return await orMissing(key, readFile(objectPath(directory, key)))
    },
    async readRange(key, { from, bytes }) {
      const file = await orMissing(key, open(objectPath(directory, key)))
      try {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, from)
        return buffer.subarray(0, bytesRead)
      } finally {
        await file.close()
      }
    },
    async stat(key) {
      return await statObject(directory, key)
    },
    async copy(from, to) {
      await orMissing(from, copyObject(directory, { from, to }))
    },
    async remove(keys) {
      for (const key of keys) await removeObject(directory, key)
    },
    async removePrefix(prefix) {
      const path = join(root, 'objects', checkPrefix(prefix))
      await rm(path, { recursive: true, force: true })
    },
    async *list(prefix) {
      yield* listObjects(directory, checkPrefix(prefix))
    },
    urlSeconds: (wanted) => Promise.resolve(wanted),
    async signGet(key, options) {
      return sign('GET', key, options)
    },
    async signPut(key, options) {
      return sign('PUT', key, options)
    },
  }
}

type SignOptions = Omit<SignGetOptions, 'forCustomer'>

/** Path of the object's file. Keys cannot escape: checkKey refuses dot segments. */
export function objectPath({ root }: Directory, key: string): string {
  return join(root, 'objects', checkKey(key))
}

export async function statObject(
  directory: Directory,
  key: string,
): Promise<{ readonly bytes: number; readonly modified: Date } | undefined> {
  try {
    const facts = await stat(objectPath(directory, key))
    return facts.isFile() ? { bytes: facts.size, modified: facts.mtime } : undefined
  } catch (error) {
    if (isErrno(error, 'ENOENT') || isErrno(error, 'ENOTDIR')) return undefined
    throw error
  }
}

/**
 * Writes beside the object, forces the bytes to the disk, then renames: a crash at any moment
 * leaves the old object or the new one. A failed write leaves no file.
 * @throws FarmError disk_full
 */
export async function writeObject(
  directory: Directory,
  { key, body }: { key: string; body: ObjectBody | readonly Buffer[] },
): Promise<void> {
  const path = objectPath(directory, key)
  const temporary = join(directory.root, 'writing', randomUUID())
  try {
    await writeTemporary(directory, { temporary, body })
    await moveInto(temporary, path)
    await syncDirectory(dirname(path))
  } catch (error) {
    await rm(temporary, { force: true })
    if (isErrno(error, 'ENOSPC') || isErrno(error, 'EDQUOT')) {
      throw new FarmError('disk_full', 'The disk of the object store is full.', { cause: error })
    }
    throw error
  }
}

/** `flush`: fsync before the file is closed. */
async function writeTemporary(
  directory: Directory,
  { temporary, body }: { temporary: string; body: ObjectBody | readonly Buffer[] },
): Promise<void> {
  if (Buffer.isBuffer(body) || isChunks(body)) {
    // Written without a check of the folder, because the path is most of the work for a small
    // object.
    const write = () => writeAtOnce(temporary, isChunks(body) ? body : [body])
    return await write().catch(async (error: unknown) => {
      if (!isErrno(error, 'ENOENT')) throw error
      await prepareWriting(directory)
      await write()
    })
  }
  await prepareWriting(directory)
  const from = body instanceof Readable ? body : createReadStream(body.path)
  await pipeline(from, createWriteStream(temporary, { flags: 'wx', flush: true }))
}

async function writeAtOnce(path: string, chunks: readonly Buffer[]): Promise<void> {
  const file = await open(path, 'wx')
  try {
    const { bytesWritten } = await file.writev(chunks)
    // A full disk takes a part, and reports the error when it is given the rest.
    const bytes = chunks.reduce((sum, { length }) => sum + length, 0)
    if (bytesWritten < bytes) await file.writeFile(Buffer.concat(chunks).subarray(bytesWritten))
    await file.sync()
  } finally {
    await file.close()
  }
}

function isChunks(body: ObjectBody | readonly Buffer[]): body is readonly Buffer[] {
  return Array.isArray(body)
}

/** Objects are never written into, so two may be one file; not every file system can do that. */
async function copyObject(
  directory: Directory,
  { from, to }: { from: string; to: string },
): Promise<void> {
  const path = objectPath(directory, to)
  const temporary = join(directory.root, 'writing', randomUUID())
  try {
    await prepareWriting(directory)
    await link(objectPath(directory, from), temporary)
    await moveInto(temporary, path)
    await syncDirectory(dirname(path))
  } catch (error) {
    if (!linkless.some((code) => isErrno(error, code))) throw error
    const file = await open(objectPath(directory, from))
    await writeObject(directory, { key: to, body: file.createReadStream() })
  } finally {
    // Renaming a name onto another of the same file leaves both.
    await rm(temporary, { force: true })
  }
}

const linkless = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'ENOSYS']

/** Usually the folder exists. An empty one may be removed between its creation and its use. */
async function moveInto(temporary: string, path: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await rename(temporary, path)
    } catch (error) {
      if (!isErrno(error, 'ENOENT') || tries === 4) throw error
      await mkdir(dirname(path), { recursive: true })
    }
  }
}

/** Removes the file, and the folders that it leaves empty. */
async function removeObject(directory: Directory, key: string): Promise<void> {
  const path = objectPath(directory, key)
  await rm(path, { force: true })
  const top = join(directory.root, 'objects')
  for (let folder = dirname(path); folder !== top; folder = dirname(folder)) {
    try {
      await rmdir(folder)
    } catch (error) {
      if (isErrno(error, 'ENOENT')) continue
      if (isErrno(error, 'ENOTEMPTY') || isErrno(error, 'EEXIST')) return
      throw error
    }
  }
}

/** Files that disappear meanwhile are left out. */
async function* listObjects(directory: Directory, prefix: string): AsyncGenerator<ListedObject> {
  const folder = join(directory.root, 'objects', prefix)
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    if (isErrno(error, 'ENOENT') || isErrno(error, 'ENOTDIR')) return []
    throw error
  })
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const key = `${prefix}${entry.name}`
    if (entry.isDirectory()) {
      yield* listObjects(directory, `${key}/`)
      continue
    }
    const facts = await statObject(directory, key)
    if (facts) yield { key, ...facts }
  }
}

async function prepareWriting({ root }: Directory): Promise<void> {
  await mkdir(join(root, 'writing'), { recursive: true })
}

/**
 * Syncs a directory, without which a rename is not on the disk. Outputs of one task share a sync.
 */
async function syncDirectory(path: string): Promise<void> {
  await directories.submit(path, undefined)
}

const directories = new KeyedBatcher<undefined, undefined>(
  (path) =>
    new Batcher(
      async (asked) => {
        const handle = await open(path)
        try {
          await handle.sync()
        } finally {
          await handle.close()
        }
        return asked.map(() => undefined)
      },
      { most: Number.POSITIVE_INFINITY },
    ),
)

async function orMissing<T>(key: string, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (isErrno(error, 'ENOENT')) throw new ObjectMissingError(key, { cause: error })
    throw error
  }
}

function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === code
}
