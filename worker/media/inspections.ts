import type { MediaFacts } from '../../core/tasks.ts'

/** The jobs of a bulk show the same few files. */
const keptMax = 500

/**
 * What files were found to be, by what is in them: the same bytes are looked at once, also when they
 * come twice at the same time.
 */
export type Inspections = {
  /** `key`: the file's digest and all else that decides the facts. Faults are not kept. */
  find(key: string, inspect: () => Promise<MediaFacts>): Promise<MediaFacts>
}

export function createInspections(): Inspections {
  const found = new Map<string, Promise<MediaFacts>>()
  const begin = (key: string, inspect: () => Promise<MediaFacts>) => {
    const own = inspect()
    found.set(key, own)
    own.catch(() => found.get(key) === own && found.delete(key))
    const [oldest] = found.keys()
    if (oldest !== undefined && found.size > keptMax) found.delete(oldest)
    return own
  }
  return {
    async find(key, inspect) {
      const known = found.get(key)
      if (!known) return await begin(key, inspect)
      // Another task's inspection may end with that task, or name its field: then this one looks itself.
      return await known.catch(() => found.get(key) ?? begin(key, inspect))
    },
  }
}
