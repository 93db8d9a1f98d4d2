/** Lets few runs of a kind of work go on at once; others wait in turn. */
export class Gate {
  #free: number
  readonly #waiting = new Set<() => void>()

  /** `most`: runs at once, at least 1. */
  constructor(most: number) {
    this.#free = most
  }

  /**
   * Runs the work once there is a place.
   * @throws the signal's reason where it aborts before; whatever the work throws
   */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted()
    if (this.#free > 0) this.#free -= 1
    else await this.#turn(signal)
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
