/** How long custom code may take, on the clock on the wall. */
export type CodeClock = {
  /** Resolves when the time is over: the code's own, or all that its pictures may take with it. */
  readonly over: Promise<'own' | 'all'>
  /** The farm's own work: the code's own time stands meanwhile. */
  readonly without: <T>(work: Promise<T>) => Promise<T>
  readonly stop: () => void
}

/** Code can make its pictures slow to paint as well: with them it has so many times its own time. */
export const timesInAll = 4

export function startCodeClock(ownMs: number): CodeClock {
  const { promise: over, resolve } = Promise.withResolvers<'own' | 'all'>()
  const all = setTimeout(() => resolve('all'), ownMs * timesInAll)
  let left = ownMs
  let since = 0
  let own: NodeJS.Timeout | undefined
  let isStopped = false
  const run = () => {
    if (isStopped) return
    since = performance.now()
    own = setTimeout(() => resolve('own'), left)
  }
  run()
  return {
    over,
    async without(work) {
      clearTimeout(own)
      left -= performance.now() - since
      try {
        return await work
      } finally {
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
