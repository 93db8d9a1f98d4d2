import type { Operation } from '../../operator/operation.ts'
import { Failure, type FaultLine, usage } from '../failure.ts'
import { findSignIn, keepSignIn, type SignIn } from './sign-ins.ts'

/** A farm whose API an operator calls. */
export type Remote = { readonly url: string; readonly token: string }

/** A token that ends sooner is exchanged first. */
const leastLeftMs = 30_000
/** The same for each call: a token used twice within seconds by one agent ends no session. */
const userAgent = 'farm operators'

/**
 * Returns the farm at FARM_URL with a token: FARM_OPERATOR_TOKEN, or that of `farm operators sign-in`.
 * Undefined: the command works on the database, because DATABASE_URL or nothing is set.
 */
export async function findRemote(): Promise<Remote | undefined> {
  const { FARM_URL, FARM_OPERATOR_TOKEN, DATABASE_URL } = process.env
  if (!FARM_URL) return undefined
  const url = farmUrl()
  if (FARM_OPERATOR_TOKEN) return { url, token: FARM_OPERATOR_TOKEN }
  if (DATABASE_URL) return undefined
  const known = await findSignIn(url)
  if (!known) {
    const rule = 'An operator must be signed in at FARM_URL, or DATABASE_URL must be set'
    throw usage(`${rule}. Got neither; see farm operators sign-in`)
  }
  const left = known.expiresAt - Date.now()
  const current = left > leastLeftMs ? known : await refresh(url, known)
  return { url, token: current.accessToken }
}

/** @throws Failure unless FARM_URL is the address of a farm */
export function farmUrl(): string {
  const { FARM_URL = '' } = process.env
  if (!URL.canParse(FARM_URL)) {
    throw usage(`FARM_URL must be the address of a farm. Got ${FARM_URL || 'nothing'}`)
  }
  return FARM_URL.replace(/\/+$/, '')
}

export async function signIn(
  url: string,
  who: { readonly email: string; readonly password: string },
): Promise<void> {
  await keepSignIn(url, signInOf(await send({ url, path: '/auth/sign-in', body: who })))
}

export async function signOut(url: string): Promise<void> {
  const known = await findSignIn(url)
  if (!known) throw new Failure(`An operator must be signed in at ${url}. Got none`)
  await keepSignIn(url, undefined)
  await send({ url, token: known.accessToken, path: '/auth/sign-out', body: {} })
}

async function refresh(url: string, { refreshToken }: SignIn): Promise<SignIn> {
  const next = signInOf(await send({ url, path: '/auth/refresh', body: { refreshToken } }))
  await keepSignIn(url, next)
  return next
}

function signInOf(answer: unknown): SignIn {
  const { accessToken, refreshToken, expiresIn } = answer as SignIn & { expiresIn: number }
  return { accessToken, refreshToken, expiresAt: Date.now() + expiresIn * 1000 }
}

/** Runs an operation by the route that serves it (api/operator). @throws Failure in its words */
export async function runRemotely<Input, Output>(
  remote: Remote,
  { path, query, body }: Operation<Input, Output>,
  input: Input,
): Promise<Output> {
  const values = new Map(Object.entries(input as object))
  const filled = path.replace(/:(\w+)/g, (_, name) => encodeURIComponent(String(values.get(name))))
  const given = (names: object) =>
    Object.keys(names).flatMap((name) =>
      values.get(name) === undefined ? [] : [[name, values.get(name)] as const],
    )
  const search = new URLSearchParams()
  for (const [name, value] of given(query.properties)) search.set(name, String(value))
  const asked = search.size > 0 ? `${filled}?${search}` : filled
  const sent = body && Object.fromEntries(given(body.properties))
  return (await send({ ...remote, path: asked, body: sent })) as Output
}

type Sent = {
  readonly url: string
  readonly token?: string
  readonly path: string
  readonly body?: object | undefined
}

async function send({ url, token, path, body }: Sent): Promise<unknown> {
  const reply = await fetch(`${url}/api/operator${path}`, {
    method: body ? 'POST' : 'GET',
    headers: {
      'user-agent': userAgent,
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  }).catch((error: Error) => {
    throw new Failure(`The farm at ${url} must answer. Got: ${error.message}`, { cause: error })
  })
  const text = await reply.text()
  if (reply.ok) return JSON.parse(text, readDate)
  throw refusal(reply, text)
}

type Problem = { readonly message?: string; readonly details?: readonly FaultLine[] }

function refusal({ status, url }: Response, text: string): Failure {
  let problem: Problem = {}
  try {
    problem = JSON.parse(text)
  } catch {
    return new Failure(`The farm must answer as its API does. Got ${status} from ${url}`)
  }
  const { message = `The farm refused the request with ${status}`, details = [] } = problem
  const again = status === 401 || details.some(({ field }) => field === 'password')
  const hint = again && !url.endsWith('/sign-in') ? '; sign in again by farm operators sign-in' : ''
  return new Failure(`${message}${hint}`, { faults: details.length > 1 ? details : [] })
}

const timeNames = /(^at|^oldest|At|Since)$/
const timeShape = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** Reads times as the database gives them, so that tables show the same. */
function readDate(name: string, value: unknown): unknown {
  return timeNames.test(name) && typeof value === 'string' && timeShape.test(value)
    ? new Date(value)
    : value
}
