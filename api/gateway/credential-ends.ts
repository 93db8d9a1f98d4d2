import type { Log } from '../../runtime/log.ts'
import { listLiveCallers } from '../../store/db/agents/list-live-callers.ts'
import type { Db } from '../../store/db/database.ts'
import { listen } from '../../store/db/listen.ts'
import { type Credential, credentialIdOf } from './caller.ts'

/** Time for which an end is remembered: longer than any call is on its way to `watch`. */
const rememberMs = 60_000
const retryMs = 1_000
/** Longest wait of a timer; no call or stream lasts as long. */
const longestTimerMs = 2 ** 31 - 1

const ended = new Error('The connection was ended during this call.')
const expired = new Error('The API key expired during this call.')

export type CredentialWatch = {
  /** Aborts when the grant or key ends; its reason is an Error that says how. */
  readonly signal: AbortSignal
  readonly release: () => void
}

/**
 * Tells calls and streams under way that the grant of their agent, or their API key, has ended, at
 * whichever replica it was ended. A key that expires sends no notification, so a timer waits for
 * it. One connection of the process listens to the database's notifications.
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

  /** Watches a grant or a key; of a session nothing is told. */
  watch(credential: Credential): CredentialWatch {
    const controller = new AbortController()
    const { signal } = controller
    if (credential.kind === 'session') return { signal, release: () => undefined }
    this.#listen()
    const id = credentialIdOf(credential)
    const stopTimer = this.#abortAtExpiry(credential, controller)
    const others = this.#watched.get(id) ?? new Set()
    this.#watched.set(id, others.add(controller))
    // A suspended account's key may have been accepted again since.
    if (this.#ended.has(id)) void this.#check([id])
    const release = () => {
      stopTimer()
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
    for (const controller of this.#watched.get(id) ?? []) controller.abort(ended)
  }

  /** The database's clock decides, by which the key was admitted. @returns a function that stops it */
  #abortAtExpiry(credential: Credential, controller: AbortController): () => void {
    const { expiresAt = null } = credential.kind === 'key' ? credential : {}
    const wait = expiresAt === null ? Infinity : expiresAt.getTime() - Date.now()
    if (wait > longestTimerMs) return () => undefined
    const released = new AbortController()
    const look = async () => {
      const isLive = await this.#isLive(credentialIdOf(credential))
      if (!isLive) controller.abort(expired)
      else if (!released.signal.aborted) timer = setTimeout(look, retryMs)
    }
    let timer = setTimeout(look, wait)
    return () => {
      released.abort()
      clearTimeout(timer)
    }
  }

  /** True also where the database cannot be asked; never rejects. */
  async #isLive(id: string): Promise<boolean> {
    try {
      return (await listLiveCallers(this.#options.db, [id])).has(id)
    } catch (error) {
      this.#options.log.warn({ err: error }, 'a key could not be checked for its expiry')
      return true
    }
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
