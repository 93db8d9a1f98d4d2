/** Deliveries from the newest on without a gap; `next`: where the older ones begin, null = all are here. */
export type Log<D extends Dated> = {
  readonly deliveries: readonly D[]
  readonly next: string | null
}
type Dated = { readonly id: string; readonly createdAt: string }

/** Adds the page behind a log's end. */
export function withOlder<D extends Dated>(log: Log<D>, page: Log<D>): Log<D> {
  const known = new Set(log.deliveries.map(({ id }) => id))
  const older = page.deliveries.filter(({ id }) => !known.has(id))
  return { deliveries: [...log.deliveries, ...older], next: page.next }
}

/**
 * Puts a newer first page over a log. Older deliveries stay, unless so many are new that there would be a gap.
 */
export function withNewest<D extends Dated>(log: Log<D>, first: Log<D>): Log<D> {
  const last = first.deliveries.at(-1)
  if (!last || first.next === null) return first
  const isNew = new Set(first.deliveries.map(({ id }) => id))
  if (!log.deliveries.some(({ id }) => isNew.has(id))) return first
  const older = log.deliveries.filter((each) => !isNew.has(each.id) && isBehind(each, last))
  return {
    deliveries: [...first.deliveries, ...older],
    next: older.length > 0 ? log.next : first.next,
  }
}

/** The order of the lists: newest first, then by id. */
const isBehind = (one: Dated, other: Dated) =>
  one.createdAt < other.createdAt || (one.createdAt === other.createdAt && one.id > other.id)
