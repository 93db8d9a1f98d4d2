import { shardKind } from '../../core/queue/tasks.ts'

/** Tasks that can be leased from now on, of one kind and for one pool (null: for any). */
export type QueueNotice = {
  readonly kind: string
  readonly pool: string | null
  readonly tasks: number
}

/** Work that a waiting node could take. */
export type Fit = {
  readonly kinds: readonly string[]
  readonly pool: string
  readonly slots: number
}

/**
 * Wakes long polls that wait for work. A waiter takes its ticket before it reads the queue, so a
 * task that comes between the read and the wait still wakes it.
 *
 * A notice wakes as many waiters as have slots for the new tasks, the longest waiting first: waking
 * a thousand nodes for one task would read the queue a thousand times. Shards are spread over nodes,
 * so each of them wakes one waiter. Kind and pool are not all that a task needs, and a node may have
 * failed just this task. So a woken waiter that finds nothing, though something is queued, forwards
 * the notice to two others. None gets a notice twice. The rest look again when their time is over.
 */
export class LongPollWaiters {
  readonly #waiting = new Set<Waiter>()
  readonly #maxWaiting: number
  #closed = false
  /** Numbers tickets and notices, so that their order is known. */
  #sequence = 0

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

  /** Takes a ticket; its wait ends after `ms` at most. */
  join(fit: Fit, { ms }: { ms: number }): WaitTicket {
    const { promise, resolve } = Promise.withResolvers<DeliveredNotice | undefined>()
    this.#sequence += 1
    const waiter: Waiter = { ...fit, since: this.#sequence, wake: resolve, notice: undefined }
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
        if (waiter.notice !== undefined && !answers) this.forward(waiter.notice)
      },
    }
  }

  notify(notice: QueueNotice): void {
    this.#sequence += 1
    this.#wake({ ...notice, at: this.#sequence }, { slots: notice.tasks, waiters: notice.tasks })
  }

  /**
   * Forwards a notice to two others that waited when it came, when a woken waiter found no fitting
   * task.
   */
  forward(notice: DeliveredNotice): void {
    this.#wake(notice, { slots: Number.POSITIVE_INFINITY, waiters: 2 })
  }

  /** Wakes every waiter, when the queue may have changed unnoticed. */
  wakeAll(): void {
    for (const { wake } of this.#waiting) wake(undefined)
  }

  /** Ends every wait, now and later. */
  close(): void {
    this.#closed = true
    this.wakeAll()
  }

  #wake(notice: DeliveredNotice, most: { readonly slots: number; readonly waiters: number }): void {
    let { slots, waiters } = most
    for (const waiter of this.#waiting) {
      if (slots <= 0 || waiters <= 0) return
      if (waiter.notice !== undefined || waiter.since > notice.at || !fits(waiter, notice)) continue
      waiter.notice = notice
      slots -= notice.kind === shardKind ? 1 : waiter.slots
      waiters -= 1
      waiter.wake(notice)
    }
  }
}

function fits(waiter: Fit, { kind, pool }: QueueNotice): boolean {
  return waiter.kinds.includes(kind) && (pool === null || pool === waiter.pool)
}

/** A notice as a woken waiter gets it. */
export type DeliveredNotice = QueueNotice & { readonly at: number }

type Waiter = Fit & {
  /** Number of its ticket. */
  readonly since: number
  readonly wake: (notice: DeliveredNotice | undefined) => void
  notice: DeliveredNotice | undefined
}

export type WaitTicket = {
  /** Resolves when it should look again; with undefined when the time is over, or all are woken. */
  readonly wait: () => Promise<DeliveredNotice | undefined>
  /** Gives the ticket up; a notice that was meant for it goes to others. */
  readonly leave: () => void
}
