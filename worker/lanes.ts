import type { RunningSpan } from '../runtime/tracing/tracing.ts'

/** So much heavy work at once, in the order in which it asked: one lane for each core. */
export type Lanes = {
  readonly count: number
  /** Of them those that work now. */
  readonly busy: number
  /**
   * Runs the work when a lane is free; rejects with the signal's reason while it waits, which is a
   * part `lane` of the span.
   */
  run<T>(
    of: { readonly signal: AbortSignal; readonly span: RunningSpan },
    work: () => Promise<T>,
  ): Promise<T>
}

export function createLanes(count: number): Lanes {
  const waiting: (() => void)[] = []
  let free = count

  const take = (signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const leave = () => {
        waiting.splice(waiting.indexOf(enter), 1)
        reject(signal.reason)
      }
      const enter = () => {
        signal.removeEventListener('abort', leave)
        free -= 1
        resolve()
      }
      if (free > 0) return enter()
      waiting.push(enter)
      signal.addEventListener('abort', leave, { once: true })
    })

  return {
    count,
    get busy() {
      return count - free
    },
    async run({ signal, span }, work) {
      signal.throwIfAborted()
      await (free > 0 ? take(signal) : span.part('lane', () => take(signal)))
      try {
        return await work()
      } finally {
        free += 1
        waiting.shift()?.()
      }
    },
  }
}
