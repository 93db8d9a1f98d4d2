import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { type Env, EnvError } from './env.ts'

const timeoutMs = 10_000
/** Most points of a line. */
const mostPoints = 240
/** Interval at which Prometheus reads the roles (infra/prometheus/prometheus.yml), seconds. */
const scrapeSeconds = 15

/** A range of time, its ends in seconds since 1970. */
export type TimeRange = { readonly from: number; readonly to: number; readonly step: number }

export type Line = {
  readonly labels: Readonly<Record<string, string>>
  /** Value at each step of the range; null: there is none. */
  readonly values: readonly (number | null)[]
}

/** Base address, without credentials, and the header that has them. */
export type Prometheus = { readonly url: string; readonly authorization?: string }

const Answer = Type.Object({
  data: Type.Object({
    result: Type.Array(
      Type.Object({
        metric: Type.Record(Type.String(), Type.String()),
        values: Type.Array(Type.Tuple([Type.Number(), Type.String()])),
      }),
    ),
  }),
})

/** Reads FARM_PROMETHEUS; undefined: there is none. Its user and password become a header. @throws EnvError */
export function readPrometheus(env: Env): Prometheus | undefined {
  const name = 'FARM_PROMETHEUS'
  const { [name]: text } = env
  if (!text) return undefined
  const url = URL.canParse(text) ? new URL(text) : undefined
  // It may hold a password, so that no error repeats it.
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash) {
    throw new EnvError(name, 'an http(s) URL without a query', 'another text')
  }
  const username = decoded(url.username)
  const password = decoded(url.password)
  if (username === undefined || password === undefined || (password && !username)) {
    const rule = 'an http(s) URL whose password has a user before it, and whose % are escapes'
    throw new EnvError(name, rule, 'another text')
  }
  url.username = ''
  url.password = ''
  const base = { url: url.href.replace(/\/+$/, '') }
  if (!username) return base
  const pair = Buffer.from(`${username}:${password}`)
  return { ...base, authorization: `Basic ${pair.toString('base64')}` }
}

/** Returns undefined where a % begins no escape. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** Returns the range of the last `minutes` before `now` (ms), in steps that charts can show. */
export function rangeUntil(now: number, minutes: number): TimeRange {
  const seconds = minutes * 60
  const step = Math.max(scrapeSeconds, Math.ceil(seconds / mostPoints))
  const to = Math.floor(now / 1000 / step) * step
  return { from: to - Math.floor(seconds / step) * step, to, step }
}

/** @throws Error that says in a sentence what Prometheus answered */
export async function queryRange(
  { url, authorization }: Prometheus,
  { expr, from, to, step }: TimeRange & { readonly expr: string },
): Promise<readonly Line[]> {
  const query = expr.replaceAll('$__rate_interval', `${rateSeconds(step)}s`)
  const asked = new URLSearchParams({ query, start: `${from}`, end: `${to}`, step: `${step}` })
  const reply = await fetch(`${url}/api/v1/query_range`, {
    method: 'POST',
    body: asked,
    headers: { ...(authorization !== undefined && { authorization }) },
    signal: AbortSignal.timeout(timeoutMs),
    redirect: 'error',
  }).catch((error: Error) => {
    throw new Error(`Prometheus must answer. Got: ${error.message}`, { cause: error })
  })
  if (!reply.ok) throw new Error(`Prometheus must answer. Got HTTP ${reply.status}`)
  const answer: unknown = await reply.json().catch(() => undefined)
  if (!Value.Check(Answer, answer)) {
    throw new Error('Prometheus must answer with a range of values. Got something else')
  }
  return answer.data.result.map(({ metric, values }) => ({
    labels: metric,
    values: valuesOf(values, { from, to, step }),
  }))
}

/** As Grafana chooses it: the window of a rate has several reads of a role in it. */
function rateSeconds(step: number): number {
  return Math.max(step + scrapeSeconds, 4 * scrapeSeconds)
}

function valuesOf(
  given: readonly (readonly [number, string])[],
  { from, to, step }: TimeRange,
): readonly (number | null)[] {
  const byTime = new Map(given.map(([at, value]) => [Math.round(at), Number(value)]))
  return Array.from({ length: (to - from) / step + 1 }, (_, i) => {
    const value = byTime.get(from + i * step)
    return value === undefined || !Number.isFinite(value) ? null : value
  })
}
