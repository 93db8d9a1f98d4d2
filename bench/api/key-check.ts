import { Pool } from 'undici'
import { showSpread, spreadOf } from '../statistics.ts'
import { quantile, type Request, send } from './load.ts'
import type { Customer, Stage } from './stage.ts'

const requests = 400

/**
 * Measures the cost of authentication: a request refused right after its key and rate check, less
 * one refused for lack of a key. One client at a time, in turn.
 */
export async function measureKeyCheck(
  { addresses }: Stage,
  customers: readonly Customer[],
  repeats: number,
): Promise<string[][]> {
  const pool = new Pool(addresses[0] ?? '', { connections: 1 })
  const refused = (key: string | undefined): Request => ({
    ...{ method: 'GET', path: '/api/jobs/none', status: key ? 400 : 401 },
    headers: key ? { 'x-api-key': key } : {},
  })
  const without: number[] = []
  const withKey: number[] = []
  try {
    for (let turn = 0; turn < repeats; turn += 1) {
      const times = { without: [] as number[], withKey: [] as number[] }
      for (let i = 0; i < requests; i += 1) {
        times.without.push(await timed(() => send(pool, refused(undefined))))
        times.withKey.push(
          await timed(() => send(pool, refused(customers[i % customers.length]?.key))),
        )
      }
      without.push(quantile(times.without, 0.5))
      withKey.push(quantile(times.withKey, 0.5))
    }
  } finally {
    await pool.close()
  }
  const overhead = withKey.map((ms, i) => ms - (without[i] ?? 0))
  return [
    ['refused without a key, ms', showSpread(spreadOf(without), 2)],
    ['refused after key and rate were looked at, ms', showSpread(spreadOf(withKey), 2)],
    ['the key check, ms', showSpread(spreadOf(overhead), 2)],
  ]
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}
