/** The jobs of a bulk show the same few files. */
const cachedMax = 500

/**
 * Cache of results by a key that determines them, such as a file's digest. Concurrent calls with
 * one key share one run. Failures are not cached.
 */
export type OnceByKey<T> = {
  get(key: string, find: () => Promise<T>): Promise<T>
}

export function createOnceByKey<T>(): OnceByKey<T> {
  const found = new Map<string, Promise<T>>()
  const begin = (key: string, find: () => Promise<T>) => {
    const own = find()
    found.set(key, own)
    own.catch(() => found.get(key) === own && found.delete(key))
    const [oldest] = found.keys()
    if (oldest !== undefined && found.size > cachedMax) found.delete(oldest)
    return own
  }
  return {
    async get(key, find) {
      const known = found.get(key)
      if (!known) return await begin(key, find)
      // Another task's run may end with that task, or name its field; then this caller runs its
      // own.
      return await known.catch(() => found.get(key) ?? begin(key, find))
    },
  }
}
