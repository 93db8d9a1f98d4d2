import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Server, ServerCredentials, type status } from '@grpc/grpc-js'
import type { ExecutionContext } from 'ava'
import { pino } from 'pino'
import {
  type CompleteRequest,
  type DrainRequest,
  type FailRequest,
  type Followed,
  type LeaseRequest,
  NodeServiceService,
  type NodeUsage,
  type RegisterRequest,
  type RenewRequest,
  type Stop,
  type Task,
  type Wanted,
} from '../../../proto/gen/farm/v1/node.ts'
import { Agent, type RunTask } from '../../../worker/agent/agent.ts'
import { connectScheduler } from '../../../worker/agent/scheduler-client.ts'

/** Every message of a node, in order. */
export type Said =
  | { rpc: 'register'; request: RegisterRequest }
  | { rpc: 'lease'; request: LeaseRequest }
  | { rpc: 'renew'; request: RenewRequest }
  | { rpc: 'complete'; request: CompleteRequest }
  | { rpc: 'fail'; request: FailRequest }
  | { rpc: 'drain'; request: DrainRequest }

/**
 * A scheduler at the end of a real wire that misbehaves on demand, as the real one cannot: it loses
 * nodes, refuses reports and is away.
 */
export async function schedulerOf(t: ExecutionContext) {
  const said: Said[] = []
  const waiting: Task[] = []
  const state = {
    stop: [] as Stop[],
    wanted: [] as Wanted[],
    followed: [] as Followed[],
    /** The next calls of an RPC are refused with these codes. */
    refusals: [] as { rpc: Said['rpc']; code: status }[],
    authorization: [] as unknown[],
    renewMs: 50,
  }
  const answer =
    <Request, Response>(
      rpc: Said['rpc'],
      reply: (request: Request) => Response | Promise<Response>,
    ) =>
    async (
      call: { request: Request; metadata: { get: (name: string) => unknown[] } },
      done: (error: { code: status } | null, response?: Response) => void,
    ) => {
      said.push({ rpc, request: call.request } as Said)
      state.authorization = call.metadata.get('authorization')
      const at = state.refusals.findIndex((refusal) => refusal.rpc === rpc)
      const [refusal] = at < 0 ? [] : state.refusals.splice(at, 1)
      if (refusal) done({ code: refusal.code })
      else done(null, await reply(call.request))
    }
  const methods = {
    register: answer('register', () => ({ leaseMs: 1_000, renewMs: state.renewMs })),
    lease: answer('lease', async ({ slots, waitMs }: LeaseRequest) => {
      for (let waited = 0; waiting.length === 0 && waited < Math.min(waitMs, 500); waited += 10) {
        await sleep(10)
      }
      return { tasks: waiting.splice(0, slots) }
    }),
    renew: answer('renew', () => ({
      ...{ stop: state.stop.splice(0), wanted: state.wanted, followed: state.followed },
    })),
    complete: answer('complete', () => ({})),
    fail: answer('fail', () => ({ retried: true })),
    drain: answer('drain', () => ({})),
  }
  const listen = async (port: number) => {
    const server = new Server()
    server.addService(NodeServiceService, methods)
    const credentials = ServerCredentials.createInsecure()
    const bound = await new Promise<number>((resolve, reject) =>
      server.bindAsync(`127.0.0.1:${port}`, credentials, (error, given) =>
        error ? reject(error) : resolve(given),
      ),
    )
    t.teardown(() => server.forceShutdown())
    return { server, port: bound }
  }
  let { server, port } = await listen(0)
  return {
    address: `127.0.0.1:${port}`,
    said,
    state,
    leave: () => server.forceShutdown(),
    comeBack: async () => {
      server = (await listen(port)).server
    },
    give: (count = 1, more: Partial<Task> = {}): Task[] => {
      const tasks = Array.from({ length: count }, () => ({ ...taskOf(), ...more }))
      waiting.push(...tasks)
      return tasks
    },
    calls: <Rpc extends Said['rpc']>(rpc: Rpc) =>
      said.filter((each): each is Extract<Said, { rpc: Rpc }> => each.rpc === rpc),
  }
}

function taskOf(): Task {
  return {
    id: randomUUID(),
    attempt: 1,
    kind: 'render',
    jobId: randomUUID(),
    accountId: randomUUID(),
    slots: 1,
    spec: { segments: [0], assemble: false },
    inputs: [],
    outputs: [],
  }
}

/** An agent that does `run` for each task; stopped after the test if it still runs. */
export function agentOf(
  t: ExecutionContext,
  {
    address,
    run,
    slots = 2,
    token,
    pauseReason = async () => '',
    onIdle,
    usage,
    idleAfterMs,
    drainGraceMs = 10_000,
    onHealthChange = () => undefined,
  }: {
    address: string
    run: RunTask
    slots?: number
    token?: string
    pauseReason?: () => Promise<string>
    onIdle?: () => void
    usage?: () => Promise<NodeUsage>
    idleAfterMs?: number
    drainGraceMs?: number
    onHealthChange?: (trouble: string | undefined) => void
  },
) {
  const agent = new Agent({
    log: pino({ level: 'silent' }),
    client: connectScheduler({ address, token, tls: undefined }),
    node: { id: randomUUID(), name: 'a node', version: '1' },
    offer: {
      kinds: ['render'],
      slots,
      encoders: ['libx264'],
      canvas: 'napi',
      device: 'CPU',
      pool: '',
      tags: [],
      ...{ memoryMb: 0, encoderSessions: 0, gpuMemoryMb: 0, lanes: 0 },
    },
    pauseReason,
    ...(onIdle && { onIdle }),
    ...(usage && { usage }),
    ...(idleAfterMs !== undefined && { idleAfterMs }),
    drainGraceMs,
    onHealthChange,
    run,
  })
  let stopped: Promise<void> | undefined
  const stop = () => {
    stopped ??= agent.stop()
    return stopped
  }
  t.teardown(stop)
  return { start: () => agent.start(), stop }
}

/** Waits until `isSo` holds; fails after a minute. */
export async function until(t: ExecutionContext, isSo: () => boolean, what: string): Promise<void> {
  for (let waited = 0; waited < 60_000; waited += 10) {
    if (isSo()) return
    await sleep(10)
  }
  t.fail(`never: ${what}`)
}
