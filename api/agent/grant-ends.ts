import type { Log } from '../../runtime/log.ts'
import { listLiveGrants } from '../../store/db/agents/list-live-grants.ts'
import type { Db } from '../../store/db/database.ts'
import { listen } from '../../store/db/listen.ts'

/** Time for which an end is remembered: longer than any call is on its way to `watch`. */
const rememberMs = 60_000
const retryMs = 1_000

export type GrantWatch = {
  /** Aborts when the grant ends. */
  readonly signal: AbortSignal
  readonly release: () => void
}

/**
 * Tells calls under way that the grant of their agent has ended, at whichever replica it was ended.
 * One connection of the process listens to the database's notifications.
 */
export class GrantEnds {
  readonly #options: { readonly db: Db; readonly databaseUrl: string; readonly log: Log }
  readonly #watched = new Map<string, Set<AbortController>>()
  /** Grants that ended lately: a call may have been admitted just before. */
  readonly #ended = new Set<string>()
  #stopListening: (() => Promise<void>) | undefined
  #retry: NodeJS.Timeout | undefined
  #stopped = false

  constructor(options: { readonly db: Db; readonly databaseUrl: string; readonly log: Log }) {
    this.#options = options
  }

  watch(grantId: string): GrantWatch {
    this.#listen()
    const controller = new AbortController()
    const { signal } = controller
    if (this.#ended.has(grantId)) controller.abort()
    const others = this.#watched.get(grantId) ?? new Set()
    this.#watched.set(grantId, others.add(controller))
    const release = () => {
      others.delete(controller)
      if (others.size === 0 && this.#watched.get(grantId) === others) this.#watched.delete(grantId)
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
      onNotify: (grantId) => (grantId === undefined ? void this.#check() : this.#end(grantId)),
    })
  }

  #end(grantId: string): void {
    this.#ended.add(grantId)
    setTimeout(() => this.#ended.delete(grantId), rememberMs).unref()
    for (const controller of this.#watched.get(grantId) ?? []) controller.abort()
  }

  /** Asks the database about every watched grant; never rejects. */
  async #check(): Promise<void> {
    const ids = [...this.#watched.keys()]
    try {
      const live = await listLiveGrants(this.#options.db, ids)
      for (const id of ids) if (!live.has(id)) this.#end(id)
    } catch (error) {
      this.#options.log.warn({ err: error }, 'agents could not be checked for their ends')
      if (!this.#stopped) this.#retry = setTimeout(() => void this.#check(), retryMs)
    }
  }
}
