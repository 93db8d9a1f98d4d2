import { setTimeout as sleep } from 'node:timers/promises'
import type { Exit } from '../../infra/local/processes.ts'

type Living = { readonly pid: number; readonly exited: Promise<Exit>; stop(): Promise<void> }

/** One process of the farm, over all its lives. */
export type Part = {
  readonly name: string
  pid(): number
  /** Resolves when it is not being started. */
  ready(): Promise<void>
  /** Kills it once it is ready; resolves when it is gone. It stays so until `start`. */
  kill(signal: NodeJS.Signals): Promise<void>
  /** Starts it, with retries; resolves when it is ready. */
  start(): Promise<void>
  freeze(): Promise<void>
  thaw(): void
  /** Asks it to end, and answers its exit. */
  stop(): Promise<Exit>
}

const startAgainMs = 500
const startTries = 120

/**
 * Supervises a part: one that ends by itself is reported to `onEnd` and restarted. One that does
 * not get ready (a dependency may be away) is retried.
 */
export async function keepPart(
  name: string,
  start: () => Promise<Living>,
  onEnd: (how: string) => void,
): Promise<Part> {
  let living = await start()
  let ready = Promise.resolve()
  let isWanted = true
  watch(living)

  function watch(one: Living): void {
    void one.exited.then(({ code, signal }) => {
      if (!isWanted || one !== living) return
      onEnd(`${name} ended by itself (${signal ?? `exit code ${code}`})`)
      ready = begin()
    })
  }

  async function begin(): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        living = await start()
        watch(living)
        return
      } catch (error) {
        if (tries === startTries) throw error
        await sleep(startAgainMs)
      }
    }
  }

  return {
    name,
    pid: () => living.pid,
    ready: () => ready,
    async start() {
      isWanted = true
      ready = begin()
      await ready
    },
    async kill(signal) {
      await ready
      isWanted = false
      process.kill(living.pid, signal)
      await living.exited
    },
    async freeze() {
      await ready
      process.kill(living.pid, 'SIGSTOP')
    },
    thaw: () => void process.kill(living.pid, 'SIGCONT'),
    async stop() {
      await ready
      isWanted = false
      await living.stop()
      return await living.exited
    },
  }
}
