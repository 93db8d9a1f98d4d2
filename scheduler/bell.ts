/**
 * Wakes long polls that wait for a kind of task. A waiter takes its place before it looks into the
 * queue, so a task that comes between the look and the wait still wakes it.
 *
 * Everyone who waits for a kind is woken, not only the first: the first may be a node that has
 * failed just this task. They do not collide, because leasing skips what another holds.
 */
export class Bell {
  readonly #waiting = new Set<Waiter>()
  readonly #maxWaiting: number
  #closed = false

  constructor({ maxWaiting }: { maxWaiting: number }) {
    this.#maxWaiting = maxWaiting
  }

  get isFull(): boolean {
    return this.#waiting.size >= this.#maxWaiting
  }

  get waiting(): number {
    return this.#waiting.size
  }

  get isClosed(): boolean {
    return this.#closed
  }

  /** A place at the bell. `rung` resolves at the next ring for one of the kinds, or after `ms`. */
  join({ kinds, ms }: { kinds: readonly string[]; ms: number }): Place {
    const { promise, resolve } = Promise.withResolvers<void>()
    const waiter: Waiter = { kinds, wake: resolve }
    const timer = setTimeout(resolve, ms)
    this.#waiting.add(waiter)
    if (this.#closed) resolve()
    const leave = () => {
      clearTimeout(timer)
      this.#waiting.delete(waiter)
      resolve()
    }
    return { rung: promise, leave }
  }

  /** Without a kind it wakes everyone. */
  ring(kind?: string): void {
    for (const waiter of this.#waiting) {
      if (kind === undefined || waiter.kinds.includes(kind)) waiter.wake()
    }
  }

  /** From now on nobody waits. */
  close(): void {
    this.#closed = true
    this.ring()
  }
}

type Waiter = { readonly kinds: readonly string[]; readonly wake: () => void }

export type Place = { readonly rung: Promise<void>; readonly leave: () => void }
