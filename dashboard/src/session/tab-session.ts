import { type Signal, signal } from '@preact/signals'

/** Access token of the API. It lives in this tab's memory; the refresh token in a cookie that no script reads. */
type Token = { readonly value: string; readonly expiresAt: number }
type Tokens = { readonly accessToken: string; readonly expiresIn: number }
type Message =
  | { readonly kind: 'token'; readonly token: Token }
  | { readonly kind: 'token wanted' }
  | { readonly kind: 'signed out' }

/** A token is renewed this long before it ends, so that no request meets its end. */
const marginMs = 30_000
/** Longest wait for a tab that has a token to lend it, before this one asks the farm. */
const lendMs = 2_000
const lendStepMs = 10
/** Longest time by which the token of a tab comes behind the end of its lock. */
const behindMs = 500
/** Time between two tries to sign in while the farm cannot be reached. */
const retryMs = 2_000
/** Longest wait for a token, where a network takes requests and answers none. */
const answerMs = 10_000
const codePrefix = '#sign-in='

export type TabSession = {
  readonly state: Signal<'starting' | 'signed out' | 'signed in'>
  /** Reason for which the address that should sign in did not. */
  readonly refusal: Signal<string>
  /** Signs in by the code in the address, by another tab's token, or by the cookie; else shows the form. */
  start(): Promise<void>
  /** @throws Error with the farm's own sentence, when it refuses */
  signIn(email: string, password: string): Promise<void>
  /** @throws Error when the farm cannot be reached: the session goes on */
  signOut(): Promise<void>
  /** Fetches from the API as who signed in. */
  /** `send` replaces the browser's fetch. */
  fetchSignedIn(input: RequestInfo | URL, init?: RequestInit, send?: Send): Promise<Response>
}

export type Send = (input: RequestInfo | URL, init: RequestInit) => Promise<Response>

/** Place that tells that this browser has a cookie, which scripts cannot see. A newcomer's page asks for nothing. */
export const hintPlaceOf = (name: string) => `${name} signed in`

/**
 * A session that all tabs of this browser share. `auth`: where its API signs in; `name`: tells its
 * locks and messages from those of other sessions; `onCode`: does more with a code that signed in.
 */
export function createTabSession({
  auth,
  name,
  onCode,
}: {
  auth: string
  name: string
  onCode?: (code: string) => Promise<void>
}): TabSession {
  const state = signal<'starting' | 'signed out' | 'signed in'>('starting')
  const refusal = signal('')
  /** Lock that every tab with a token shares. */
  const holders = `${name} token`
  const hintPlace = hintPlaceOf(name)

  let token: Token | undefined
  const tabs = new BroadcastChannel(`${name} session`)

  tabs.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (data.kind === 'token') accept(data.token)
    if (data.kind === 'signed out') forget()
    if (data.kind === 'token wanted' && state.value === 'signed in') void lend()
  })

  async function start(): Promise<void> {
    const { hash } = location
    if (hash.startsWith(codePrefix)) {
      // The code works once; it must not stay in the address or the history.
      history.replaceState(null, '', location.pathname + location.search)
      const code = hash.slice(codePrefix.length)
      try {
        if (await send('one-time', { code })) return await onCode?.(code)
      } catch (error) {
        refusal.value = error instanceof Error ? error.message : String(error)
      }
    }
    if (await isTokenLent()) return
    if (localStorage.getItem(hintPlace) === null) return forget()
    while (state.value === 'starting') {
      await refresh().catch(() => new Promise((resolve) => setTimeout(resolve, retryMs)))
    }
  }

  async function signIn(email: string, password: string): Promise<void> {
    await send('sign-in', { email, password, cookie: true })
  }

  async function signOut(): Promise<void> {
    const authorization = `Bearer ${await accessToken()}`
    const response = await fetch(`${auth}/sign-out`, {
      ...{ method: 'POST', headers: { authorization } },
      signal: AbortSignal.timeout(answerMs),
    })
    if (response.status >= 500) throw new Error(response.statusText)
    forget()
    tell({ kind: 'signed out' })
  }

  async function fetchSignedIn(
    input: RequestInfo | URL,
    init: RequestInit = {},
    by: Send = (given, sent) => fetch(given, sent),
  ): Promise<Response> {
    const fetchOnce = async () =>
      await by(input, { ...init, headers: withToken(init.headers, await accessToken()) })
    const response = await fetchOnce()
    if (response.status !== 401) return response
    // Another tab may have ended the session, or the farm a token before its time.
    token = undefined
    return await fetchOnce()
  }

  async function accessToken(): Promise<string> {
    if (!isFresh(token)) await refresh()
    return token?.value ?? ''
  }

  /** Renews the token in one tab at a time; the tabs that waited take the token of the first. */
  async function refresh(): Promise<void> {
    const lock = `${name} refresh`
    const isRenewing = 'locks' in navigator && (await isHeld(lock))
    await oneTabAtATime(lock, async () => {
      // A tab's token may arrive after the end of its lock.
      if (isFresh(token) || (isRenewing && (await isLentWithin(behindMs)))) return
      if (await send('refresh', { cookie: true })) return
      forget()
    })
  }

  /** Returns false when the farm does not know the user; throws when it cannot be reached. */
  async function send(route: 'sign-in' | 'refresh' | 'one-time', body: object): Promise<boolean> {
    const response = await fetch(`${auth}/${route}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(answerMs),
    })
    if (!response.ok) {
      if (route === 'refresh' && response.status < 500 && response.status !== 429) return false
      const { detail } = await response.json().catch(() => ({ detail: response.statusText }))
      throw new Error(detail)
    }
    const { accessToken, expiresIn }: Tokens = await response.json()
    const made = { value: accessToken, expiresAt: Date.now() + expiresIn * 1000 }
    accept(made)
    tell({ kind: 'token', token: made })
    return true
  }

  /** Tells the other tabs this one's token, a new one if it has ended. */
  async function lend(): Promise<void> {
    if (isFresh(token)) tell({ kind: 'token', token })
    else await refresh().catch(() => undefined)
  }

  async function isTokenLent(): Promise<boolean> {
    if (!(await isTokenHeld())) return false
    tell({ kind: 'token wanted' })
    return await isLentWithin(lendMs)
  }

  async function isLentWithin(ms: number): Promise<boolean> {
    for (let waited = 0; waited < ms && !isFresh(token); waited += lendStepMs) {
      await new Promise((resolve) => setTimeout(resolve, lendStepMs))
    }
    return isFresh(token)
  }

  /** Without Web Locks nobody knows: then a tab waits for the others. */
  async function isTokenHeld(): Promise<boolean> {
    if (!('locks' in navigator)) return localStorage.getItem(hintPlace) !== null
    return await isHeld(holders)
  }

  let endHolding: (() => void) | undefined

  function accept(given: Token): void {
    token = given
    if (!endHolding && 'locks' in navigator) {
      const { promise, resolve } = Promise.withResolvers<void>()
      endHolding = resolve
      void navigator.locks.request(holders, { mode: 'shared' }, () => promise)
    }
    localStorage.setItem(hintPlace, 'yes')
    state.value = 'signed in'
  }

  function forget(): void {
    token = undefined
    endHolding?.()
    endHolding = undefined
    localStorage.removeItem(hintPlace)
    state.value = 'signed out'
  }

  function tell(message: Message): void {
    tabs.postMessage(message)
  }

  return { state, refusal, start, signIn, signOut, fetchSignedIn }
}

function withToken(given: HeadersInit | undefined, accessToken: string): Headers {
  const headers = new Headers(given)
  headers.set('authorization', `Bearer ${accessToken}`)
  return headers
}

function isFresh(given: Token | undefined): given is Token {
  return given !== undefined && given.expiresAt - marginMs > Date.now()
}

async function isHeld(lock: string): Promise<boolean> {
  const { held = [] } = await navigator.locks.query()
  return held.some(({ name }) => name === lock)
}

/** Web Locks exist on https and loopback only; elsewhere the farm forgives two tabs for ten seconds. */
async function oneTabAtATime(name: string, act: () => Promise<void>): Promise<void> {
  if ('locks' in navigator) await navigator.locks.request(name, act)
  else await act()
}
