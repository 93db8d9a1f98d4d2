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
/** The farm gives a sign of life every five seconds: one that fails to come is seen within three more. */
const quietMs = 7_500
/** Longest wait for a stream to open, where a network takes requests and answers none. */
const openMs = 10_000

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
    await signedIn()
    try {
      await listen(() => {
        failures = 0
      })
    } catch {
      connect('lost')
      failures += 1
      await rest(retryMs[failures - 1] ?? 3_000)
    }
  }
}

/** Spreads what one stream tells, until it ends. @throws when it breaks or falls silent */
async function listen(opened: () => void): Promise<void> {
  const ending = new AbortController()
  const end = () => ending.abort()
  const opening = setTimeout(end, openMs)
  // A request from before the network changed is never answered.
  for (const name of ['offline', 'online']) addEventListener(name, end)
  const onOpen = () => {
    clearTimeout(opening)
    if (connection.value === 'lost') spread({ kind: 'again', data: null })
    connect('live')
    opened()
  }
  // Not tried again by the client: the page says at once that the farm is away.
  const options = { since: lastId, onOpen, quietMs, signal: ending.signal, retries: 0 }
  try {
    for await (const { id, event, data } of readAccountEvents(caller, options)) {
      lastId = id
      if (event === 'hello') connect('live')
      else spread({ kind: event, data } as LiveEvent)
    }
  } finally {
    clearTimeout(opening)
    for (const name of ['offline', 'online']) removeEventListener(name, end)
  }
}

/** Waits, unless the network comes back before. */
async function rest(ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  addEventListener('online', () => resolve(), { once: true })
  await promise
  clearTimeout(timer)
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
