import { setTimeout as sleep } from 'node:timers/promises'
import type { PoolBacklog } from '../../core/queue/backlog.ts'
import { Batcher } from '../../runtime/batcher.ts'
import type { Log } from '../../runtime/log.ts'
import { repeat } from '../../runtime/repeat.ts'

export type Backlog = readonly PoolBacklog[]

/** A reader of the backlog that is told of each new reading. */
export type Watcher = {
  see(backlog: Backlog): void
  /** True while more work would be news to it. */
  isIdle(): boolean
}

/** Age at which a reading is repeated, for ends and for changes of limits, which are not notified. */
const rereadMs = 2_000
/** Shortest interval between readings, however often tasks are queued. */
const shortestMs = 200
/** Rest after a reading, as a multiple of its time: a long queue takes a tenth of a connection. */
const restShare = 9
/** Calls that one reading answers. */
const mostTogether = 1_000

/**
 * Reads the backlog of all pools: at once when tasks are queued and a watcher is idle, and every two
 * seconds while anybody watches. Nothing is read for nobody.
 */
export class BacklogWatch {
  readonly #watchers = new Set<Watcher>()
  readonly #loop: ReturnType<typeof repeat>
  #tookMs = 0
  readonly #reads: Batcher<undefined, Backlog>

  constructor({ read, log }: { read: () => Promise<Backlog>; log: Log }) {
    this.#reads = new Batcher(
      async (asked) => {
        const backlog = await read()
        return asked.map(() => backlog)
      },
      { most: mostTogether },
    )
    this.#loop = repeat({
      everyMs: rereadMs,
      run: (stopping) => this.#turn(stopping),
      onError: (error) => log.warn({ err: error }, 'the backlog could not be read'),
    })
  }

  /** Answers a reading that begins after the call; calls that come during one share the next. */
  current(): Promise<Backlog> {
    return this.#reads.submit(undefined)
  }

  /** @returns a function that ends the watch */
  watch(watcher: Watcher): () => void {
    this.#watchers.add(watcher)
    this.#loop.wake()
    return () => void this.#watchers.delete(watcher)
  }

  /** Looks again soon: tasks have been queued. */
  wake(): void {
    if ([...this.#watchers].some((watcher) => watcher.isIdle())) this.#loop.wake()
  }

  async stop(): Promise<void> {
    await this.#loop.stop()
  }

  async #turn(stopping: AbortSignal): Promise<void> {
    if (this.#watchers.size === 0) return
    const pauseMs = Math.min(Math.max(shortestMs, restShare * this.#tookMs), rereadMs)
    await sleep(pauseMs, undefined, { signal: stopping }).catch(() => undefined)
    if (stopping.aborted) return
    const began = performance.now()
    const backlog = await this.current()
    this.#tookMs = performance.now() - began
    for (const watcher of this.#watchers) watcher.see(backlog)
  }
}
