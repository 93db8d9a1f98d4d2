import { setTimeout as sleep } from 'node:timers/promises'
import type { Exit } from '../../infra/local/processes.ts'

/** A process of the farm that is ready. */
export type Part = { readonly exited: Promise<Exit>; stop(): Promise<void> }

export type Kept = {
  stop(): Promise<void>
  /** Resolves when the part ended too often to be restarted. */
  readonly gaveUp: Promise<Error>
}

/**
 * Limit of restarts within the window: a part that ends more often has a fault that restarts do not
 * cure.
 */
const maxRestarts = 5
const windowMs = 60_000
const firstPauseMs = 200

/**
 * Starts a part and restarts it a few times, with growing pauses, when it ends by itself. Rejects
 * when the first start fails. `report` gets each unexpected end.
 */
export async function keepRunning(
  name: string,
  start: () => Promise<Part>,
  report: (sentence: string) => void,
): Promise<Kept> {
  const { promise: gaveUp, resolve: giveUp } = Promise.withResolvers<Error>()
  const stopping = new AbortController()
  const restarts: number[] = []
  let part = await start()
  const watching = watch()
  return {
    gaveUp,
    async stop() {
      stopping.abort()
      await part.stop()
      await watching
    },
  }

  async function watch(): Promise<void> {
    for (;;) {
      const { code, signal } = await part.exited
      if (stopping.signal.aborted) return
      report(`${name} ended (${signal ?? `exit code ${code}`}); starting it again`)
      if (!(await startAgain())) return
    }
  }

  /** Returns false when it was stopped meanwhile, or given up. */
  async function startAgain(): Promise<boolean> {
    for (;;) {
      const now = Date.now()
      while (restarts[0] !== undefined && restarts[0] < now - windowMs) restarts.shift()
      if (restarts.length >= maxRestarts) {
        giveUp(new Error(`${name} ended ${maxRestarts + 1} times within a minute`))
        return false
      }
      const pause = firstPauseMs * 2 ** restarts.length
      restarts.push(now)
      await sleep(pause, undefined, { signal: stopping.signal }).catch(() => undefined)
      if (stopping.signal.aborted) return false
      try {
        part = await start()
      } catch (error) {
        if (stopping.signal.aborted) return false
        report(error instanceof Error ? error.message : String(error))
        continue
      }
      if (!stopping.signal.aborted) return true
      await part.stop()
      return false
    }
  }
}
