import { Agent, request } from 'undici'
import { showSpread, spreadOf } from '../statistics.ts'
import { quantile } from './load.ts'
import type { Customer, Stage } from './stage.ts'
import { film } from './submissions.ts'

const listeners = 1_000
const jobs = 20
const openedAtOnce = 50
const patienceMs = 30_000

/**
 * Measures a thousand listeners on both processes: the time until each has received its job's
 * cancellation.
 */
export async function measureListeners(
  { addresses }: Stage,
  customers: readonly Customer[],
  repeats: number,
): Promise<string[][]> {
  const medians: number[] = []
  const p99s: number[] = []
  for (let turn = 0; turn < repeats; turn += 1) {
    const times = await hearAll(addresses, customers.slice(0, jobs))
    medians.push(quantile(times, 0.5))
    p99s.push(quantile(times, 0.99))
  }
  return [
    [
      `${listeners} listeners: from a change to its event, median ms`,
      showSpread(spreadOf(medians)),
    ],
    ['the same, p99 ms', showSpread(spreadOf(p99s))],
  ]
}

type Watched = { readonly key: string; readonly jobId: string; changedAt: number }

async function hearAll(
  addresses: readonly string[],
  customers: readonly Customer[],
): Promise<number[]> {
  const [first = ''] = addresses
  const watched = await Promise.all(customers.map(({ key }) => submit(first, key)))
  const agent = new Agent({ connections: listeners })
  const heard: Promise<number>[] = []
  try {
    for (let from = 0; from < listeners; from += openedAtOnce) {
      const opening = Array.from({ length: openedAtOnce }, async (_, i) => {
        const job = watched[(from + i) % watched.length]
        const address = addresses[Math.floor((from + i) / watched.length) % addresses.length] ?? ''
        if (job) heard.push((await listen(agent, { address, job })).heard)
      })
      await Promise.all(opening)
    }
    for (const job of watched) {
      job.changedAt = performance.now()
      const headers = { 'x-api-key': job.key }
      const path = `${first}/api/jobs/${job.jobId}/cancel`
      await (await request(path, { method: 'POST', headers })).body.dump()
    }
    return await Promise.all(heard)
  } finally {
    await agent.destroy()
  }
}

async function submit(address: string, key: string): Promise<Watched> {
  const headers = { 'content-type': 'application/json', 'x-api-key': key }
  const body = JSON.stringify({ payload: film })
  const reply = await request(`${address}/api/render/api-key`, { method: 'POST', headers, body })
  const { jobId } = (await reply.body.json()) as { jobId: string }
  return { key, jobId, changedAt: 0 }
}

/**
 * Resolves with the stream's beginning; `heard` resolves with the ms from the change to its event.
 */
async function listen(agent: Agent, { address, job }: { address: string; job: Watched }) {
  const { body, statusCode } = await request(`${address}/api/jobs/${job.jobId}/events`, {
    dispatcher: agent,
    headers: { 'x-api-key': job.key },
    bodyTimeout: patienceMs,
  })
  if (statusCode !== 200) throw new Error(`A stream must answer 200. Got ${statusCode}`)
  return { heard: hear(body, job) }
}

async function hear(body: AsyncIterable<Buffer>, job: Watched): Promise<number> {
  for await (const part of body) {
    if (part.includes('"state":"cancelled"')) return performance.now() - job.changedAt
  }
  throw new Error('A stream must tell of the end of its job')
}
