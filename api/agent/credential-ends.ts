import type { Log } from '../../runtime/log.ts'
import { listLiveCallers } from '../../store/db/agents/list-live-callers.ts'
import type { Db } from '../../store/db/database.ts'
import { listen } from '../../store/db/listen.ts'

/** Time for which an end is remembered: longer than any call is on its way to `watch`. */
const rememberMs = 60_000
const retryMs = 1_000

export type CredentialWatch = {
  /** Aborts when the grant or key ends. */
  readonly signal: AbortSignal
  readonly release: () => void
}

/**
 * Tells calls under way that the grant of their agent, or their API key, has ended, at whichever
 * replica it was ended. One connection of the process listens to the database's notifications.
 */
export class CredentialEnds {
  readonly #options: { readonly db: Db; readonly databaseUrl: string; readonly log: Log }
  readonly #watched = new Map<string, Set<AbortController>>()
  /** Ids that ended lately: a call may have been admitted just before. */
  readonly #ended = new Set<string>()
  #stopListening: (() => Promise<void>) | undefined
  #retry: NodeJS.Timeout | undefined
  #stopped = false

  constructor(options: { readonly db: Db; readonly databaseUrl: string; readonly log: Log }) {
    this.#options = options
  }

  /** `id`: of a grant or a key. */
  watch(id: string): CredentialWatch {
    this.#listen()
    const controller = new AbortController()
    const { signal } = controller
    const others = this.#watched.get(id) ?? new Set()
    this.#watched.set(id, others.add(controller))
    // A suspended account's key may have been accepted again since.
    if (this.#ended.has(id)) void this.#check([id])
    const release = () => {
      others.delete(controller)
      if (others.size === 0 && this.#watched.get(id) === others) this.#watched.delete(id)
    }
    return { signal, release }
  }

  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#retry)
    await this.#stopListening?.()
  }

  #listen(): void {
    if (this.#stopped) return
    const { databaseUrl: url, log } = this.#options
    this.#stopListening ??= listen({
      ...{ url, log, channel: 'agent_ends' },
      // An id is missing after a reconnection: notifications in between are lost.
      onNotify: (id) => (id === undefined ? void this.#check() : this.#end(id)),
    })
  }

  #end(id: string): void {
    this.#ended.add(id)
    setTimeout(() => this.#ended.delete(id), rememberMs).unref()
    for (const controller of this.#watched.get(id) ?? []) controller.abort()
  }

  /** Asks the database about watched grants and keys; never rejects. */
  async #check(ids: readonly string[] = [...this.#watched.keys()]): Promise<void> {
    try {
      const live = await listLiveCallers(this.#options.db, ids)
      for (const id of ids) if (!live.has(id)) this.#end(id)
    } catch (error) {
      this.#options.log.warn({ err: error }, 'agents could not be checked for their ends')
      if (!this.#stopped) this.#retry = setTimeout(() => void this.#check(), retryMs)
    }
  }
}
