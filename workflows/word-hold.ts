/** A batch is sent after this pause without a new event, at this age, or at this size. */
const quietMs = 400
const longestMs = 1_000
const most = 16

export type WordHold<Word> = {
  add(group: string, word: Word): void
  /** Sends the group's held events at once, because no more will come. */
  send(group: string): void
  /** Events that are held or in flight. */
  readonly count: number
  /** Resolves when all held events have been sent. */
  sendAll(): Promise<void>
}

/** Debounces events for one receiver into batches. `send` must not reject. */
export function createWordHold<Word>(
  send: (group: string, words: readonly Word[]) => Promise<void>,
): WordHold<Word> {
  const held = new Map<string, { words: Word[]; since: number; timer?: NodeJS.Timeout }>()
  const sending = new Set<Promise<void>>()
  let count = 0

  function release(group: string): void {
    const found = held.get(group)
    if (found === undefined) return
    held.delete(group)
    clearTimeout(found.timer)
    const sent = send(group, found.words).finally(() => {
      count -= found.words.length
      sending.delete(sent)
    })
    sending.add(sent)
  }

  return {
    send: release,
    get count() {
      return count
    },
    add(group, word) {
      count += 1
      const found = held.get(group) ?? { words: [], since: performance.now() }
      held.set(group, found)
      found.words.push(word)
      clearTimeout(found.timer)
      const left = longestMs - (performance.now() - found.since)
      if (found.words.length >= most || left <= 0) return release(group)
      found.timer = setTimeout(() => release(group), Math.min(quietMs, left))
    },
    async sendAll() {
      for (const group of [...held.keys()]) release(group)
      await Promise.all(sending)
    },
  }
}
