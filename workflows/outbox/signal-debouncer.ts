/** A batch is sent after this pause without a new event, at this age, or at this size. */
const quietMs = 400
const longestMs = 1_000
const most = 16

export type SignalDebouncer<Event> = {
  add(group: string, event: Event): void
  /** Sends the group's held events at once, because no more will come. */
  send(group: string): void
  /** Events that are held or in flight. */
  readonly count: number
  /** Resolves when all held events have been sent. */
  sendAll(): Promise<void>
}

/** Debounces events for one receiver into batches. `send` must not reject. */
export function createSignalDebouncer<Event>(
  send: (group: string, events: readonly Event[]) => Promise<void>,
): SignalDebouncer<Event> {
  const held = new Map<string, { events: Event[]; since: number; timer?: NodeJS.Timeout }>()
  const sending = new Set<Promise<void>>()
  let count = 0

  function release(group: string): void {
    const found = held.get(group)
    if (found === undefined) return
    held.delete(group)
    clearTimeout(found.timer)
    const sent = send(group, found.events).finally(() => {
      count -= found.events.length
      sending.delete(sent)
    })
    sending.add(sent)
  }

  return {
    send: release,
    get count() {
      return count
    },
    add(group, event) {
      count += 1
      const found = held.get(group) ?? { events: [], since: performance.now() }
      held.set(group, found)
      found.events.push(event)
      clearTimeout(found.timer)
      const left = longestMs - (performance.now() - found.since)
      if (found.events.length >= most || left <= 0) return release(group)
      found.timer = setTimeout(() => release(group), Math.min(quietMs, left))
    },
    async sendAll() {
      for (const group of [...held.keys()]) release(group)
      await Promise.all(sending)
    },
  }
}
