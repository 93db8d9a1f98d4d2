/** Refusal of a run: the Gate has its most waiting runs already. */
export class GateFull extends Error {}

/** Lets few runs of a kind of work go on at once; others wait in turn. */
export class Gate {
  #free: number
  readonly #mostWaiting: number
  readonly #waiting = new Set<() => void>()

  /** `most`: runs at once, at least 1. `mostWaiting`: runs that wait beside them. */
  constructor(most: number, mostWaiting = Number.POSITIVE_INFINITY) {
    this.#free = most
    this.#mostWaiting = mostWaiting
  }

  /**
   * Runs the work once there is a place.
   * @throws the signal's reason where it aborts before; GateFull; whatever the work throws
   */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted()
    if (this.#free > 0) this.#free -= 1
    else if (this.#waiting.size < this.#mostWaiting) await this.#turn(signal)
    else throw new GateFull(`At most ${this.#mostWaiting} runs may wait. Got one more`)
    try {
      return await work()
    } finally {
      this.#pass()
    }
  }

  async #turn(signal: AbortSignal | undefined): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const leave = () => {
        this.#waiting.delete(enter)
        reject(signal?.reason)
      }
      const enter = () => {
        signal?.removeEventListener('abort', leave)
        resolve()
      }
      this.#waiting.add(enter)
      signal?.addEventListener('abort', leave, { once: true })
    })
  }

  /** Gives the place to the first that waits. */
  #pass(): void {
    const [next] = this.#waiting
    if (!next) {
      this.#free += 1
      return
    }
    this.#waiting.delete(next)
    next()
  }
}
