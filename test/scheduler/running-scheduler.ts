import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { credentials, Metadata, type ServiceError, type status } from '@grpc/grpc-js'
import type { ExecutionContext } from 'ava'
import {
  type CompleteRequest,
  type CompleteResponse,
  type DrainRequest,
  type DrainResponse,
  type FailRequest,
  type FailResponse,
  type LeaseRequest,
  type LeaseResponse,
  NodeServiceClient,
  type RegisterRequest,
  type RegisterResponse,
  type RenewRequest,
  type RenewResponse,
  type Task,
} from '../../proto/gen/farm/v1/node.ts'
import type { Log } from '../../runtime/log.ts'
import { readConfig } from '../../scheduler/config.ts'
import { openContext } from '../../scheduler/context.ts'
import { serve } from '../../scheduler/serve.ts'
import { addAccount, addJob, silent, startDatabase } from '../store/database.ts'

type Calls = {
  register: [RegisterRequest, RegisterResponse]
  lease: [LeaseRequest, LeaseResponse]
  renew: [RenewRequest, RenewResponse]
  complete: [CompleteRequest, CompleteResponse]
  fail: [FailRequest, FailResponse]
  drain: [DrainRequest, DrainResponse]
}

export const token = 'the token of the nodes'

export const offer = {
  kinds: ['render', 'still', 'a kind of the future'],
  slots: 4,
  encoders: ['libx264'],
  canvas: 'napi',
  device: 'CPU',
  pool: '',
  tags: [],
  ...{ memoryMb: 0, encoderSessions: 0, gpuMemoryMb: 0, lanes: 0 },
}

export async function refused(t: ExecutionContext, code: status, work: Promise<unknown>) {
  const error = await t.throwsAsync(work)
  t.is((error as ServiceError).code, code, error?.message)
  return (error as ServiceError).details
}

/** Starts a scheduler over a real Postgres, and a client that speaks to it as a node does. */
export async function startScheduler(log: Log = silent) {
  const { db, url, stop: stopDatabase } = await startDatabase()
  const objects = mkdtempSync(join(tmpdir(), 'farm-scheduler-'))
  const env = {
    DATABASE_URL: url,
    FARM_SCHEDULER_PORT: '0',
    FARM_OBJECTS: `file:${objects}`,
    FARM_PUBLIC_URL: 'http://127.0.0.1:1',
    FARM_SECRET: 'a secret of the tests',
    FARM_NODE_TOKEN: token,
  }
  const config = readConfig(env)
  const { context, close } = openContext(config, log)
  const served = await serve(context, config)
  const address = `127.0.0.1:${served.port}`
  const client = new NodeServiceClient(address, credentials.createInsecure())

  async function stop(): Promise<void> {
    client.close()
    await served.stop()
    await close()
    await stopDatabase()
    rmSync(objects, { recursive: true, force: true })
  }

  /** Calls the generated client as a promise, with the token and a deadline. */
  function call<M extends keyof Calls>(
    method: M,
    request: Calls[M][0],
    given = token,
  ): Promise<Calls[M][1]> {
    const metadata = new Metadata()
    if (given !== '') metadata.set('authorization', `Bearer ${given}`)
    const options = { deadline: Date.now() + 25_000 }
    return new Promise((resolve, reject) => {
      const done = (error: ServiceError | null, value: Calls[M][1]) =>
        error ? reject(error) : resolve(value)
      const invoke = client[method] as unknown as (...args: unknown[]) => void
      invoke.call(client, request, metadata, options, done)
    })
  }

  async function newNode() {
    const nodeId = randomUUID()
    await call('register', { nodeId, name: 'node', version: '1', offer })
    return nodeId
  }

  async function newJob() {
    const accountId = await addAccount(db)
    return { accountId, jobId: await addJob(db, accountId) }
  }

  async function leaseOne(nodeId: string): Promise<Task> {
    const { tasks } = await call('lease', { nodeId, slots: 1, waitMs: 0 })
    const [task] = tasks
    if (task === undefined) throw new Error('There must be a task to lease.')
    return task
  }

  /** Empties the queue, which belongs to the whole farm. */
  async function clear(): Promise<void> {
    await db.deleteFrom('tasks').execute()
    await db.deleteFrom('nodes').execute()
  }

  return { db, env, config, address, client, call, newNode, newJob, leaseOne, clear, stop }
}
