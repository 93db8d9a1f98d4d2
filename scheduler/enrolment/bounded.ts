/**
 * Bounds work that strangers can ask for: `atOnce` run, `waiting` wait in their order.
 * Answers undefined, at once, where too many wait.
 */
export function createBound({ atOnce, waiting }: { atOnce: number; waiting: number }) {
  const queue: (() => void)[] = []
  let running = 0
  return <T>(work: () => Promise<T>): Promise<T> | undefined => {
    if (running < atOnce) {
      running += 1
      return run(work)
    }
    if (queue.length >= waiting) return undefined
    return new Promise<void>((resolve) => queue.push(resolve)).then(() => run(work))
  }

  async function run<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } finally {
      const next = queue.shift()
      // The next one takes this place over.
      if (next) next()
      else running -= 1
    }
  }
}
