import { setTimeout as sleep } from 'node:timers/promises'

/** Work that a process repeats in the background. */
export type Repetition = {
  /** Begins the next turn at once, or right after the present one. */
  wake(): void
  /** Resolves after the present turn, whose signal is aborted. */
  stop(): Promise<void>
}

/**
 * Runs `run` now, then `everyMs` after the end of each turn, or at once while it answers true. A
 * failed turn is reported to `onError`, and the next one comes as after any other.
 */
export function repeat({
  everyMs,
  run,
  onError,
}: {
  readonly everyMs: number
  readonly run: (stopping: AbortSignal) => Promise<unknown>
  readonly onError: (error: unknown) => unknown
}): Repetition {
  const stopping = new AbortController()
  let waking = new AbortController()
  const ended = runTurns()
  return {
    wake: () => waking.abort(),
    async stop() {
      stopping.abort()
      waking.abort()
      await ended
    },
  }

  async function runTurns(): Promise<void> {
    while (!stopping.signal.aborted) {
      // Created before the turn, so that a call to wake during it is not lost.
      waking = new AbortController()
      const isMore = await run(stopping.signal).catch(onError)
      if (isMore === true || stopping.signal.aborted) continue
      await sleep(everyMs, undefined, { signal: waking.signal }).catch(() => undefined)
    }
  }
}
