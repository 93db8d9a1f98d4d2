import type { Log } from '../../runtime/log.ts'
import { listen } from '../../store/db/listen.ts'

/** Called without an id after a reconnection: any job may have changed meanwhile. */
type OnChange = (jobId: string | undefined) => void

/** Hears of changed jobs on one connection of the process, for all kinds of streams. */
export class JobChanges {
  readonly #database: { readonly url: string; readonly log: Log }
  readonly #hearers: OnChange[] = []
  #stopListening: (() => Promise<void>) | undefined
  #stopped = false

  constructor({ databaseUrl, log }: { databaseUrl: string; log: Log }) {
    this.#database = { url: databaseUrl, log }
  }

  tell(onChange: OnChange): void {
    this.#hearers.push(onChange)
  }

  /** Listens from the first stream on. */
  start(): void {
    if (this.#stopped) return
    this.#stopListening ??= listen({
      ...{ ...this.#database, channel: 'job_changes' },
      onNotify: (jobId) => {
        for (const onChange of this.#hearers) onChange(jobId)
      },
    })
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await this.#stopListening?.()
  }
}
