import { mkdir, readdir, rename, rm, stat, statfs, utimes } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Reading the directory costs a millisecond for each twenty files, so it is not done for every new
 * file.
 */
const trimShare = 1 / 256

/**
 * Cache of files by name in one directory. It removes the least recently used first, once they hold
 * more than about `limitBytes` or more than the disk has free. A name must identify the bytes (a
 * digest), so a file is never stale, and files of an earlier run stay valid.
 */
export class DiskCache {
  readonly #dir: string
  readonly #limitBytes: number
  /** Bytes adopted since the directory was last read. */
  readonly #fresh: { bytes: number }
  readonly #prefix: string

  constructor({
    dir,
    limitBytes,
    prefix = '',
    fresh = { bytes: Number.POSITIVE_INFINITY },
  }: {
    dir: string
    limitBytes: number
    prefix?: string
    fresh?: { bytes: number }
  }) {
    this.#dir = dir
    this.#limitBytes = limitBytes
    this.#prefix = prefix
    this.#fresh = fresh
  }

  /**
   * Returns a view of the cache with a namespace of its own: it finds only files that were put
   * there.
   */
  within(scope: string): DiskCache {
    const prefix = `${this.#prefix}${scope}.`
    const shared = { dir: this.#dir, limitBytes: this.#limitBytes, fresh: this.#fresh }
    return new DiskCache({ ...shared, prefix })
  }

  /**
   * Returns the file's path, or undefined. It may be evicted later: open it at once, or make it
   * anew.
   */
  async find(name: string): Promise<string | undefined> {
    const path = join(this.#dir, this.#prefix + name)
    const now = new Date()
    try {
      await utimes(path, now, now)
      return path
    } catch (error) {
      if (isMissing(error)) return undefined
      throw error
    }
  }

  /** Moves the file into the cache and returns its new path; both must be on one disk. */
  async adopt(name: string, file: string): Promise<string> {
    await mkdir(this.#dir, { recursive: true })
    const path = join(this.#dir, this.#prefix + name)
    await rename(file, path)
    const { size } = await stat(path)
    this.#fresh.bytes += size
    const { bavail, bsize } = await statfs(this.#dir)
    if (this.#fresh.bytes > trimShare * Math.min(this.#limitBytes, bavail * bsize)) {
      await this.trim(this.#prefix + name)
    }
    return path
  }

  /** Removes whatever is over the limits, in any namespace, but never the file `keep`. */
  async trim(keep?: string): Promise<void> {
    this.#fresh.bytes = 0
    await mkdir(this.#dir, { recursive: true })
    const files = await Promise.all(
      (await readdir(this.#dir)).map(async (name) => {
        const facts = await stat(join(this.#dir, name)).catch(ignoreMissing)
        return { name, bytes: facts?.size ?? 0, usedMs: facts?.mtimeMs ?? 0 }
      }),
    )
    let total = files.reduce((sum, { bytes }) => sum + bytes, 0)
    const { bavail, bsize } = await statfs(this.#dir)
    const allowed = Math.min(this.#limitBytes, (total + bavail * bsize) / 2)
    for (const { name, bytes } of files.sort((a, b) => a.usedMs - b.usedMs)) {
      if (total <= allowed) return
      if (name === keep) continue
      await rm(join(this.#dir, name), { force: true })
      total -= bytes
    }
  }
}

/** Ignores a missing file: two tasks may evict at once. */
function ignoreMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error
}

export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}
