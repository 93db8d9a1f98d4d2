import { Pool } from 'undici'
import { showSpread, spreadOf } from '../statistics.ts'
import { timed } from './key-check.ts'
import { send } from './load.ts'
import type { Customer, Stage } from './stage.ts'
import { film } from './submissions.ts'

const items = 500
const lag = /^farm_nodejs_eventloop_lag_p99_seconds\b.* ([\d.e-]+)$/m

/** Measures 500 renders in one request, and the lag of the process's event loop meanwhile. */
export async function measureBulks(
  { addresses }: Stage,
  customers: readonly Customer[],
  repeats: number,
): Promise<string[][]> {
  const [address = ''] = addresses
  const pool = new Pool(address, { connections: 1, headersTimeout: 60_000 })
  const wall: number[] = []
  const late: number[] = []
  try {
    for (let turn = 0; turn < repeats; turn += 1) {
      const rows = Array.from({ length: items }, (_, i) => ({
        variables: { name: `${turn} ${i}` },
      }))
      // Reading the lag resets it.
      await lagOf(address)
      const key = customers[turn % customers.length]?.key ?? ''
      const ms = await timed(() =>
        send(pool, {
          ...{ method: 'POST', path: '/api/render/bulk/api-key', status: 202 },
          headers: { 'content-type': 'application/json', 'x-api-key': key },
          body: JSON.stringify({ payload: film, items: rows }),
        }),
      )
      wall.push(ms / 1000)
      late.push((await lagOf(address)) * 1000)
    }
  } finally {
    await pool.close()
  }
  return [
    [`${items} items in one request, seconds to the answer`, showSpread(spreadOf(wall), 2)],
    ['event-loop delay meanwhile, p99 ms', showSpread(spreadOf(late), 1)],
  ]
}

/** Returns the p99 of the lag since the last call, seconds. */
async function lagOf(address: string): Promise<number> {
  const text = await (await fetch(`${address}/metrics`)).text()
  return Number(lag.exec(text)?.[1])
}
