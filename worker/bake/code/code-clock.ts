/** How long custom code may take, on the clock on the wall. */
export type CodeClock = {
  /** Resolves when the time is over: the code's own, or all that its pictures may take with it. */
  readonly over: Promise<'own' | 'all'>
  /** The farm's own work: the code's own time stands meanwhile, or for the first `upToMs` of it. */
  readonly without: <T>(work: Promise<T>, upToMs?: number) => Promise<T>
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
