import { signal } from '@preact/signals'
import { operatorSession } from './operator-session.ts'
import type { Operations, Problem } from './operator-types.ts'
import type { Reply } from './reply.ts'

/** True: the last request reached the farm. */
export const connection = signal<'live' | 'lost'>('live')

/** Longest wait for what is read, where a network takes requests and answers none. */
const answerMs = 10_000

type Routes<Method extends string> = Extract<keyof Operations, `${Method} ${string}`>
type Params<R extends string> = R extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [_ in Name]: string } & Params<Rest>
  : unknown
type Part<R extends keyof Operations, Name extends string> = Operations[R] extends {
  readonly [_ in Name]?: infer T
}
  ? T
  : never

type Read = Routes<'GET'>
export type Change = Routes<'POST'>
type BodyOf<R extends Change> = Operations[R] extends { readonly body: infer B } ? B : object

export class OperatorApiError extends Error {
  readonly problem: Partial<Problem>
  constructor(problem: Partial<Problem>) {
    super(problem.detail ?? 'The farm answered with an error that says nothing')
    this.problem = problem
  }
  get isGone(): boolean {
    return this.problem.status === 404
  }
  /** True when an admin's password is older than ten minutes. */
  get needsPassword(): boolean {
    return this.problem.details?.some(({ field }) => field === 'password') ?? false
  }
}

/** @throws OperatorApiError, or another Error where the farm cannot be reached or does not answer */
export async function read<R extends Read>(
  route: R,
  {
    query,
    signal: ending,
    ...params
  }: { readonly query?: Part<R, 'query'>; readonly signal?: AbortSignal } & Params<R>,
): Promise<Reply<R>> {
  const address = addressOf(route, params) + search(query ?? {})
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(new Error('The farm does not answer')), answerMs)
  try {
    const either = ending ? AbortSignal.any([ending, late.signal]) : late.signal
    return await send(address, { method: 'GET', signal: either }, ending)
  } finally {
    clearTimeout(timer)
  }
}

/** Sends a change once: whether it was done is for the person to see. @throws as `read` */
export async function change<R extends Change>(
  route: R,
  { body, ...params }: { readonly body: BodyOf<R> } & Params<R>,
): Promise<Reply<R>> {
  return await send(addressOf(route, params), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

function addressOf(route: string, params: object): string {
  const known: Record<string, string> = { ...params }
  const path = route.slice(route.indexOf(' ') + 1)
  return path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(known[name] ?? ''))
}

function search(query: object): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  return given.length > 0 ? `?${new URLSearchParams(given.map(([k, v]) => [k, `${v}`]))}` : ''
}

/** `ending`: the page needs no answer any more, which says nothing about the farm. */
async function send<T>(address: string, init: RequestInit, ending?: AbortSignal): Promise<T> {
  const response = await operatorSession.fetchSignedIn(address, init).catch((error: unknown) => {
    if (!ending?.aborted) connection.value = 'lost'
    throw error
  })
  connection.value = response.status >= 500 ? 'lost' : 'live'
  if (response.ok) return (await response.json()) as T
  const { status, statusText } = response
  const problem = await response.json().catch(() => ({ detail: `${status} ${statusText}` }))
  throw new OperatorApiError({ status, ...problem })
}
