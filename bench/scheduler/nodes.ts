import { randomUUID } from 'node:crypto'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { status } from '@grpc/grpc-js'
import type { Task } from '../../proto/gen/farm/v1/node.ts'
import {
  connectScheduler,
  isFinal,
  type SchedulerClient,
  statusOf,
} from '../../worker/agent/scheduler-client.ts'

/** Observation of all nodes for a while. */
export type Observed = {
  readonly seconds: number
  /** Tasks leased. */
  readonly leased: number
  /** Milliseconds of each answered call; of Lease, only with a task. */
  readonly leaseMs: readonly number[]
  readonly completeMs: readonly number[]
  readonly renewMs: readonly number[]
  /** Failed calls, by method and gRPC status: `Lease DEADLINE_EXCEEDED`. */
  readonly failed: Readonly<Record<string, number>>
  /** Lag of this process's own event loop, p99, which every time above includes. */
  readonly loopMs: number
}

/** Nodes whose calls can be counted for a while. */
export type Fleet = {
  /** Number of nodes that have got an answer so far. */
  readonly begun: number
  /** Calls that failed during the start of the nodes, by method and gRPC status. */
  readonly failedBefore: Readonly<Record<string, number>>
  observe(seconds: number): Promise<Observed>
  stop(): Promise<void>
}

export type FleetOptions = {
  readonly count: number
  /** Mean time of a task. */
  readonly taskMs: number
}

type Counts = {
  leased: number
  leaseMs: number[]
  completeMs: number[]
  renewMs: number[]
  failed: Record<string, number>
}
type Seen = { now: Counts; begun: number }
type Method = 'Register' | 'Lease' | 'Renew' | 'Complete'

/** Nodes that start together: a fleet does not start in the same millisecond. */
const startingAtOnce = 25
/** Longest wait of the next group for these answers: the queue may be empty. */
const batchMs = 10_000
const waitMs = 20_000
const renewEveryMs = 5_000
const againMs = 500

/**
 * Starts nodes of one slot, each with its own connection. They lease, renew and report like `farm
 * worker` and idle for a time drawn evenly from 0 to 2 x `taskMs`. They start in small groups, each
 * when the one before has taken its first tasks. Resolves when all have, or the wait for it is
 * over.
 */
export async function startNodes(
  addresses: readonly string[],
  { count, taskMs }: FleetOptions,
): Promise<Fleet> {
  const seen: Seen = { now: noCounts(), begun: 0 }
  const leave = new AbortController()
  const nodes: SimulatedNode[] = []
  for (let from = 0; from < count; from += startingAtOnce) {
    const batch = Array.from({ length: Math.min(startingAtOnce, count - from) }, (_, index) => {
      const address = addresses[(from + index) % addresses.length] ?? ''
      return startNode({ address, taskMs, seen, stop: leave.signal })
    })
    nodes.push(...batch)
    await within(batchMs, batch)
  }
  return {
    begun: seen.begun,
    failedBefore: seen.now.failed,
    async observe(seconds) {
      const loop = monitorEventLoopDelay()
      loop.enable()
      seen.now = noCounts()
      const began = performance.now()
      await sleep(seconds * 1000)
      const counts = seen.now
      seen.now = noCounts()
      loop.disable()
      const took = (performance.now() - began) / 1000
      return { ...counts, seconds: took, loopMs: loop.percentile(99) / 1e6 }
    },
    async stop() {
      leave.abort()
      await Promise.all(nodes.map(({ ended }) => ended))
    },
  }
}

type SimulatedNode = { readonly begun: Promise<void>; readonly ended: Promise<void> }
type NodeOptions = { address: string; taskMs: number; seen: Seen; stop: AbortSignal }

function startNode(options: NodeOptions): SimulatedNode {
  const client = connectScheduler({ address: options.address, token: undefined, tls: undefined })
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const ended = work(client, { ...options, begin }).finally(() => {
    begin()
    client.close()
  })
  return { begun, ended }
}

async function work(
  client: SchedulerClient,
  { taskMs, seen, stop, begin }: NodeOptions & { begin: () => void },
): Promise<void> {
  const nodeId = randomUUID()
  const offer = {
    kinds: ['render'],
    slots: 1,
    encoders: ['libx264'],
    canvas: 'napi',
    device: 'CPU',
  }
  const none = { pool: '', tags: [], memoryMb: 0, encoderSessions: 0, gpuMemoryMb: 0, lanes: 1 }
  const node = { nodeId, name: nodeId, version: 'bench', offer: { ...offer, ...none } }
  const register = () => client.register(node)
  while (!stop.aborted && !(await call(seen, { method: 'Register', send: register })))
    await rest(againMs, stop)
  for (let first = true; !stop.aborted; ) {
    const began = performance.now()
    const send = () => client.lease({ nodeId, slots: 1, waitMs }, stop)
    const answer = await call(seen, { method: 'Lease', send, stop })
    if (answer === undefined) await rest(againMs, stop)
    for (const task of answer?.tasks ?? []) {
      seen.now.leased += 1
      seen.now.leaseMs.push(performance.now() - began)
      if (first) seen.begun += 1
      first = false
      begin()
      await hold(client, { nodeId, task, ms: 2 * taskMs * Math.random(), seen, stop })
    }
  }
}

async function within(ms: number, nodes: readonly SimulatedNode[]): Promise<void> {
  const enough = new AbortController()
  const all = Promise.all(nodes.map(({ begun }) => begun))
  await Promise.race([all, rest(ms, enough.signal)])
  enough.abort()
}

/** Keeps the lease for the given time and reports the task as done. */
async function hold(
  client: SchedulerClient,
  given: { nodeId: string; task: Task; ms: number; seen: Seen; stop: AbortSignal },
): Promise<void> {
  const { nodeId, task, seen, stop } = given
  const until = performance.now() + given.ms
  const held = { taskId: task.id, attempt: task.attempt }
  for (;;) {
    const left = until - performance.now()
    if (left > 0) await rest(Math.min(left, renewEveryMs), stop)
    if (stop.aborted) return
    if (left <= renewEveryMs) break
    const tasks = [{ ...held, framesDone: 1, previews: 0, written: [] }]
    const renew = () => client.renew({ nodeId, tasks, pause: '' })
    await timed(seen, { method: 'Renew', send: renew, times: 'renewMs' })
  }
  let refused = false
  const done = () =>
    client.complete({ nodeId, ...held, result: {} }).catch((error: unknown): never => {
      // The lease was lost meanwhile.
      refused = isFinal(error)
      throw error
    })
  const completing = { method: 'Complete', send: done, times: 'completeMs' } as const
  while (!stop.aborted && !(await timed(seen, completing)) && !refused) await rest(againMs, stop)
}

async function timed<T>(
  seen: Seen,
  {
    times,
    ...sending
  }: { method: Method; send: () => Promise<T>; times: 'completeMs' | 'renewMs' },
): Promise<T | undefined> {
  const began = performance.now()
  const answer = await call(seen, sending)
  if (answer !== undefined) seen.now[times].push(performance.now() - began)
  return answer
}

/**
 * Returns undefined when there was no answer, which counts as a failure unless the node itself hung
 * up.
 */
async function call<T>(
  seen: Seen,
  { method, send, stop }: { method: Method; send: () => Promise<T>; stop?: AbortSignal },
): Promise<T | undefined> {
  return await send().catch((error: unknown) => {
    if (stop?.aborted === true) return undefined
    const what = `${method} ${status[statusOf(error) ?? status.UNKNOWN]}`
    seen.now.failed[what] = (seen.now.failed[what] ?? 0) + 1
    return undefined
  })
}

async function rest(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined)
}

function noCounts(): Counts {
  return { leased: 0, leaseMs: [], completeMs: [], renewMs: [], failed: {} }
}
