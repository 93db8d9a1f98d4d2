import { Pool } from 'undici'

export type Load = {
  /** Number of answered requests. */
  readonly count: number
  readonly perSecond: number
  /** Latency of an answer, in ms. */
  readonly median: number
  readonly p99: number
}

export type Request = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly status: number
}

/**
 * Runs a number of clients over all doors; each sends its next request as soon as it is answered,
 * up to a total.
 * @throws Error when an answer has another status than the request expects
 */
export async function load(
  addresses: readonly string[],
  {
    clients,
    requests,
    next,
  }: { clients: number; requests: number; next: (count: number) => Request },
): Promise<Load> {
  const pools = addresses.map(
    (address) => new Pool(address, { connections: Math.ceil(clients / addresses.length) }),
  )
  const times: number[] = []
  const began = performance.now()
  let count = 0
  const ask = async (pool: Pool) => {
    while (count < requests) {
      const asked = performance.now()
      await send(pool, next(count++))
      times.push(performance.now() - asked)
    }
  }
  try {
    const asking = Array.from({ length: clients }, (_, i) => pools[i % pools.length])
    await Promise.all(asking.map((pool) => pool && ask(pool)))
  } finally {
    await Promise.all(pools.map((pool) => pool.close()))
  }
  const perSecond = times.length / ((performance.now() - began) / 1000)
  const median = quantile(times, 0.5)
  return { count: times.length, perSecond, median, p99: quantile(times, 0.99) }
}

/** Sends one request and returns its body: JSON is parsed. @throws Error when the status is another one */
export async function send(
  pool: Pool,
  { method, path, headers, body, status }: Request,
): Promise<unknown> {
  const reply = await pool.request({ method, path, headers, ...(body !== undefined && { body }) })
  if (reply.statusCode === status) {
    const isJson = String(reply.headers['content-type']).startsWith('application/json')
    return isJson ? await reply.body.json() : await reply.body.text()
  }
  throw new Error(
    `${method} ${path} must answer ${status}. Got ${reply.statusCode}: ${await reply.body.text()}`,
  )
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
}
