/** Limits the wall-clock time of custom code. */
export type CodeClock = {
  /**
   * Resolves when the time is over: `own`, the code's own, or `all`, the total including its
   * pictures.
   */
  readonly over: Promise<'own' | 'all'>
  /** Runs the farm's own work, which stops the code's own clock, at most for the first `upToMs`. */
  readonly without: <T>(work: Promise<T>, upToMs?: number) => Promise<T>
  readonly stop: () => void
}

/**
 * Code can also make its pictures slow to paint: the total is limited to this multiple of its own
 * time.
 */
export const timesInAll = 4

export function startCodeClock(ownMs: number): CodeClock {
  const { promise: over, resolve } = Promise.withResolvers<'own' | 'all'>()
  const all = setTimeout(() => resolve('all'), ownMs * timesInAll)
  let left = ownMs
  let since = 0
  let own: NodeJS.Timeout | undefined
  let isStopped = false
  const run = () => {
    if (isStopped || own) return
    since = performance.now()
    own = setTimeout(() => resolve('own'), left)
  }
  const pause = () => {
    if (!own) return
    clearTimeout(own)
    own = undefined
    left -= performance.now() - since
  }
  run()
  return {
    over,
    async without(work, upToMs = ownMs * timesInAll) {
      pause()
      const goesOn = setTimeout(run, upToMs)
      try {
        return await work
      } finally {
        clearTimeout(goesOn)
        run()
      }
    },
    stop() {
      isStopped = true
      clearTimeout(all)
      clearTimeout(own)
    },
  }
}
