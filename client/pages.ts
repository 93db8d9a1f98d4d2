/** What lists of a farm answer. */
export type Page = { readonly page: number; readonly pageSize: number; readonly total: number }

/** The most that a list gives at once. */
const pageSize = 100

/**
 * Every item of a list, page by page as they are asked for. What comes newly to the list's beginning
 * moves the others down: one that stood on a page before is left out.
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
