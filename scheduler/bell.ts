/** Tasks that can be leased from now on, of one kind and for one pool (null: for any). */
export type Ring = {
  readonly kind: string
  readonly pool: string | null
  readonly tasks: number
}

/** What a node that waits could take. */
export type Fit = {
  readonly kinds: readonly string[]
  readonly pool: string
  readonly slots: number
}

/**
 * Wakes long polls that wait for work. A waiter takes its place before it looks into the queue, so a
 * task that comes between the look and the wait still wakes it.
 *
 * As many are woken as have slots for the new tasks, those that have waited longest first: a task
 * that woke a thousand nodes would be looked for a thousand times. Kind and pool do not say all that
 * a task needs, and a node may have failed just this task; so whoever finds nothing though something
 * is queued passes the ring on, to two others, and none hears a ring twice. The rest look again by
 * themselves when their time comes.
 */
export class Bell {
  readonly #waiting = new Set<Waiter>()
  readonly #maxWaiting: number
  #closed = false
  /** Counts places and rings, so that their order is known. */
  #moment = 0

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

  /** A place at the bell, for `ms` at most once it is waited at. */
  join(fit: Fit, { ms }: { ms: number }): Place {
    const { promise, resolve } = Promise.withResolvers<Heard | undefined>()
    this.#moment += 1
    const waiter: Waiter = { ...fit, since: this.#moment, wake: resolve, heard: undefined }
    const timer = setTimeout(() => resolve(undefined), ms)
    this.#waiting.add(waiter)
    if (this.#closed) resolve(undefined)
    let answers = false
    return {
      wait: () => {
        answers = true
        return promise
      },
      leave: () => {
        clearTimeout(timer)
        this.#waiting.delete(waiter)
        resolve(undefined)
        if (waiter.heard !== undefined && !answers) this.passOn(waiter.heard)
      },
    }
  }

  ring(ring: Ring): void {
    this.#moment += 1
    this.#wake({ ...ring, at: this.#moment }, { slots: ring.tasks, waiters: ring.tasks })
  }

  /** To two others that waited when it rang; for who heard it and does not take the task. */
  passOn(heard: Heard): void {
    this.#wake(heard, { slots: Number.POSITIVE_INFINITY, waiters: 2 })
  }

  /** When nobody knows what has become of the queue meanwhile. */
  ringAll(): void {
    for (const { wake } of this.#waiting) wake(undefined)
  }

  /** From now on nobody waits. */
  close(): void {
    this.#closed = true
    this.ringAll()
  }

  #wake(heard: Heard, most: { readonly slots: number; readonly waiters: number }): void {
    let { slots, waiters } = most
    for (const waiter of this.#waiting) {
      if (slots <= 0 || waiters <= 0) return
      if (waiter.heard !== undefined || waiter.since > heard.at || !fits(waiter, heard)) continue
      waiter.heard = heard
      slots -= waiter.slots
      waiters -= 1
      waiter.wake(heard)
    }
  }
}

function fits(waiter: Fit, { kind, pool }: Ring): boolean {
  return waiter.kinds.includes(kind) && (pool === null || pool === waiter.pool)
}

/** A ring as who was woken by it knows it. */
export type Heard = Ring & { readonly at: number }

type Waiter = Fit & {
  /** When it took its place. */
  readonly since: number
  readonly wake: (heard: Heard | undefined) => void
  heard: Heard | undefined
}

export type Place = {
  /** Until it is its turn to look; undefined when the time is over, or everyone is woken. */
  readonly wait: () => Promise<Heard | undefined>
  /** A ring that was meant for it and that it did not wait for goes to others. */
  readonly leave: () => void
}
