/**
 * Coalesces waits: all callers continue together, a fixed time after the first of them, or when
 * `end` is called.
 */
export class CoalescingTimer {
  readonly #longestMs: number
  #open: { readonly promise: Promise<void>; readonly end: () => void } | undefined

  constructor(longestMs: number) {
    this.#longestMs = longestMs
  }

  wait(): Promise<void> {
    this.#open ??= this.#begin()
    return this.#open.promise
  }

  end(): void {
    this.#open?.end()
  }

  #begin() {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(() => this.end(), this.#longestMs)
    const end = () => {
      clearTimeout(timer)
      this.#open = undefined
      resolve()
    }
    return { promise, end }
  }
}
