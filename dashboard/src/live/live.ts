import { signal } from '@preact/signals'
import { readAccountEvents } from '../../../client/account-events.ts'
import type { JobChange } from '../../../client/farm-client.ts'
import { caller } from '../session/farm.ts'
import { session } from '../session/session.ts'

export type LiveEvent =
  | { readonly kind: 'job'; readonly data: JobChange }
  | { readonly kind: 'bulk'; readonly data: { readonly id: string } }
  | { readonly kind: 'credits'; readonly data: unknown }
  /** Events may have been missed: lists are read again. */
  | { readonly kind: 'again'; readonly data: null }

type Message =
  | { readonly event: LiveEvent; readonly lastId: string }
  | { readonly connection: Connection; readonly lastId: string }
  | { readonly connectionWanted: true }
type Connection = 'connecting' | 'live' | 'lost'

const retryMs = [500, 1_000, 2_000, 3_000]

export const connection = signal<Connection>('connecting')

const listeners = new Set<(event: LiveEvent) => void>()
const tabs = new BroadcastChannel('farm events')
let isLeader = false
/** Event up to which this browser knows the stream: the next tab that holds it goes on from there. */
let lastId = ''

tabs.addEventListener('message', ({ data }: MessageEvent<Message>) => {
  if ('lastId' in data) lastId = data.lastId
  if ('event' in data) hear(data.event)
  else if ('connection' in data) connection.value = data.connection
  else if (isLeader) connect(connection.value)
})

/** True in the one tab that holds the stream. */
export const isLeading = () => isLeader

/** Calls `listener` for each change of the account, until the returned function is called. */
export function onLive(listener: (event: LiveEvent) => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/**
 * Follows the account's changes. One tab of a browser holds the stream and tells the others; when it
 * closes, the next one takes over where it ended. So ten tabs cost one connection, of which a browser has six.
 */
export function startLive(): void {
  tell({ connectionWanted: true })
  if ('locks' in navigator) void navigator.locks.request('farm events', follow)
  else void follow()
}

async function follow(): Promise<never> {
  isLeader = true
  for (let failures = 0; ; ) {
    try {
      await signedIn()
      const onOpen = () => {
        if (connection.value === 'lost') spread({ kind: 'again', data: null })
        connect('live')
        failures = 0
      }
      // Not tried again by the client: the page says at once that the farm is away.
      const stream = readAccountEvents(caller, { since: lastId, onOpen, retries: 0 })
      for await (const { id, event, data } of stream) {
        lastId = id
        if (event === 'hello') connect('live')
        else spread({ kind: event, data } as LiveEvent)
      }
    } catch {
      connect('lost')
      failures += 1
      await new Promise((resolve) => setTimeout(resolve, retryMs[failures - 1] ?? 3_000))
    }
  }
}

async function signedIn(): Promise<void> {
  if (session.value === 'signed in') return
  await new Promise<void>((resolve) => {
    const stop = session.subscribe((state) => {
      if (state !== 'signed in') return
      queueMicrotask(() => stop())
      resolve()
    })
  })
}

function connect(state: Connection): void {
  connection.value = state
  tell({ connection: state, lastId })
}

function spread(event: LiveEvent): void {
  hear(event)
  tell({ event, lastId })
}

function hear(event: LiveEvent): void {
  for (const listener of listeners) listener(event)
}

function tell(message: Message): void {
  tabs.postMessage(message)
}
