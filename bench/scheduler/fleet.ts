import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Fleet, FleetOptions, Observed } from './nodes.ts'

type Started = Pick<Fleet, 'begun' | 'failedBefore'>

const program = join(import.meta.dirname, 'client.ts')

/** Starts a fleet whose nodes are played by several processes, so that no event loop blocks all. */
export async function startFleet(
  addresses: readonly string[],
  { count, processes, ...options }: FleetOptions & { readonly processes: number },
): Promise<Fleet & { readonly pids: readonly number[] }> {
  const clients = Array.from({ length: processes }, (_, index) => {
    const share = Math.floor((count + index) / processes)
    // Rotates the addresses, so that they share the load even with one node per process.
    const turned = addresses.map((_, place) => addresses[(place + index) % addresses.length])
    return fork(program, [JSON.stringify({ ...options, addresses: turned, count: share })])
  })
  const started = await Promise.all(clients.map((client) => answerOf<Started>(client)))
  return {
    pids: clients.map(({ pid }) => pid ?? 0),
    begun: started.reduce((sum, { begun }) => sum + begun, 0),
    failedBefore: addUp(started.map(({ failedBefore }) => failedBefore)),
    async observe(seconds) {
      const seen = clients.map((client) => {
        const answer = answerOf<Observed>(client)
        client.send(seconds)
        return answer
      })
      return together(await Promise.all(seen))
    },
    async stop() {
      const ended = clients.map((client) => once(client, 'exit'))
      for (const client of clients) client.send('leave')
      await Promise.all(ended)
    },
  }
}

/** Returns the process's next message. @throws Error when the process ends instead */
async function answerOf<T>(client: ChildProcess): Promise<T> {
  const heard = new AbortController()
  const { signal } = heard
  try {
    const ended = once(client, 'exit', { signal }).then(([code, how]): never => {
      throw new Error(`A process that plays nodes must not end (${how ?? `exit code ${code}`}).`)
    })
    const [answer] = await Promise.race([once(client, 'message', { signal }), ended])
    return answer as T
  } finally {
    heard.abort()
  }
}

function together(seen: readonly Observed[]): Observed {
  return {
    seconds: Math.max(...seen.map(({ seconds }) => seconds)),
    leased: seen.reduce((sum, { leased }) => sum + leased, 0),
    leaseMs: seen.flatMap(({ leaseMs }) => leaseMs),
    completeMs: seen.flatMap(({ completeMs }) => completeMs),
    renewMs: seen.flatMap(({ renewMs }) => renewMs),
    failed: addUp(seen.map(({ failed }) => failed)),
    loopMs: Math.max(...seen.map(({ loopMs }) => loopMs)),
  }
}

function addUp(counts: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sum: Record<string, number> = {}
  for (const [what, times] of counts.flatMap((each) => Object.entries(each))) {
    sum[what] = (sum[what] ?? 0) + times
  }
  return sum
}
