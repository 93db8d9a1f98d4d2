/** State of an act on many things, which can go on after a stop. */
export type Run = {
  readonly done: ReadonlySet<string>
  /** Reasons of those that were refused. */
  readonly refused: ReadonlyMap<string, string>
  /** Number that is known by now. */
  readonly total: number
}

export const notBegun: Run = { done: new Set(), refused: new Map(), total: 0 }

/** So many at a time: the farm counts an account's requests by the minute. */
const atOnce = 4
/** Looks for further things, in case some left a page while it was read. */
const mostRounds = 10

/**
 * Does something to everything that `find` finds, once each, and looks again until there is nothing
 * new. `signal` ends it between two things, so that what is counted as done is done. Goes on from
 * `from`. Never rejects for a thing that is refused; rejects when nothing can be found.
 */
export async function runOver({
  find,
  act,
  signal,
  onProgress,
  from = notBegun,
}: {
  find: (signal: AbortSignal) => Promise<readonly string[]>
  act: (id: string) => Promise<unknown>
  signal: AbortSignal
  onProgress: (run: Run) => void
  from?: Run
}): Promise<Run> {
  const done = new Set(from.done)
  const refused = new Map<string, string>()
  let total = from.total
  const now = (): Run => ({ done: new Set(done), refused: new Map(refused), total })
  for (let round = 0; round < mostRounds && !signal.aborted; round += 1) {
    const ids = (await find(signal)).filter((id) => !done.has(id) && !refused.has(id))
    if (ids.length === 0) break
    total = done.size + refused.size + ids.length
    onProgress(now())
    const left = ids.values()
    const line = async () => {
      for (const id of left) {
        if (signal.aborted) return
        try {
          await act(id)
          done.add(id)
        } catch (error) {
          refused.set(id, error instanceof Error ? error.message : String(error))
        }
        onProgress(now())
      }
    }
    await Promise.all(Array.from({ length: atOnce }, line))
  }
  return now()
}

/**
 * Reads the whole of a list page by page, each of its things once. `read` answers a page's things and
 * the number of all.
 */
export async function readAll<T extends { readonly id: string }>(
  read: (page: number) => Promise<{ readonly items: readonly T[]; readonly total: number }>,
  signal: AbortSignal,
): Promise<readonly T[]> {
  const found = new Map<string, T>()
  for (let page = 1; ; page += 1) {
    signal.throwIfAborted()
    const { items, total } = await read(page)
    for (const item of items) found.set(item.id, item)
    if (items.length === 0 || found.size >= total) return [...found.values()]
  }
}
