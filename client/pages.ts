/** Paging fields in every list of a farm. */
export type Page = { readonly page: number; readonly pageSize: number; readonly total: number }

/** Largest page of a list. */
const pageSize = 100

/**
 * Yields every item of a list and fetches pages on demand. New items at the list's beginning move
 * the others down: an item already seen is skipped.
 */
export async function* eachOf<P extends Page, T>(
  read: (page: { readonly page: number; readonly pageSize: number }) => Promise<P>,
  { items, key }: { items: (page: P) => readonly T[]; key: (item: T) => string | number },
): AsyncGenerator<T> {
  const seen = new Set<string | number>()
  for (let page = 1; ; page += 1) {
    const found = await read({ page, pageSize })
    for (const item of items(found)) {
      if (!seen.has(key(item))) yield item
      seen.add(key(item))
    }
    if (page * found.pageSize >= found.total) return
  }
}
