import { status } from '@grpc/grpc-js'
import { type LeaseRequest, type LeaseResponse, Task } from '../../proto/gen/farm/v1/node.ts'
import type { SeenNode } from '../../store/db/fleet/see-nodes.ts'
import { failTask } from '../../store/db/queue/fail-task.ts'
import { handBackTasks } from '../../store/db/queue/hand-back-tasks.ts'
import { isQueued } from '../../store/db/queue/is-queued.ts'
import { heldBackMs } from '../../store/db/queue/lock-heads.ts'
import type { LeasedTask } from '../../store/db/queue/take-tasks.ts'
import { taskOutputKey } from '../../store/objects/keys.ts'
import type { SchedulerContext } from '../context.ts'
import { leaseCanary } from '../fleet/canary.ts'
import type { Leased, SlotRequest } from '../queue/call-batches.ts'
import type { DeliveredNotice, WaitTicket } from '../queue/long-poll-waiters.ts'
import { traceWaits } from '../queue/traces.ts'
import { checkInteger, checkUuid, notRegistered } from './checks.ts'
import { type Call, RpcError } from './unary.ts'
import { usageOf } from './usage.ts'

const maxSlots = 256
/** Shorter than nodeLiveMs, so that a waiting node stays known as alive. */
const maxWaitMs = 20_000
/** Polls for changes without a NOTIFY, such as a node's silence that frees a task for another. */
const recheckMs = 5_000
/** Validity of a task's URLs: as long as an attempt may reasonably take. */
const urlSeconds = 3600
/** A message may have 1 MB; the rest is for the frame around the tasks. */
const maxTaskBytes = 900_000

/**
 * Answers as soon as there are tasks for the node (worker/agent/agent.ts), or empty when `wait_ms` is
 * over.
 */
export async function lease(
  context: SchedulerContext,
  request: LeaseRequest,
  call: Call,
): Promise<LeaseResponse> {
  const nodeId = checkUuid('node_id', request.nodeId)
  const slots = checkInteger('slots', request.slots, { min: 1, max: maxSlots })
  const waitMs = checkInteger('wait_ms', request.waitMs, { min: 0, max: maxWaitMs })
  const node = await context.batches.signs.submit({ nodeId, ...usageOf(request) })
  if (node === undefined) throw notRegistered()
  if (node.state === 'leaving') {
    throw new RpcError(status.FAILED_PRECONDITION, 'The node must not be leaving. Register again.')
  }
  if (node.state === 'quarantined') {
    const canary = await leaseCanary(context, { nodeId, node })
    if (canary.length > 0) return { tasks: canary }
  }
  const leased = await waitForTasks(context, { nodeId, node, slots, waitMs, call })
  const tasks = await prepare(context, { nodeId, leased }).catch(async (error: unknown) => {
    // Signing fails without credentials of the store; another scheduler may have them.
    await handBackTasks(context.db, { nodeId, attempts: attemptsOf(leased) })
    throw error
  })
  if (tasks.length > 0 && call.isGone()) {
    // The node has hung up: its tasks would lie idle until their leases end.
    await handBackTasks(context.db, { nodeId, attempts: attemptsOf(leased) })
    return { tasks: [] }
  }
  for (const { kind } of leased) context.metrics.leased(kind, node.offer.pool)
  for (const { id, attempt, kind, jobId } of tasks) {
    context.log.info({ task: id, attempt, kind, job: jobId, node: nodeId }, 'task leased')
  }
  void traceWaits(context, { nodeId, tasks })
  return { tasks }
}

async function waitForTasks(
  context: SchedulerContext,
  {
    nodeId,
    node,
    slots,
    waitMs,
    call,
  }: { nodeId: string; node: SeenNode; slots: number; waitMs: number; call: Call },
): Promise<readonly LeasedTask[]> {
  const { waiters } = context
  const deadline = performance.now() + waitMs
  const fit = { kinds: node.offer.kinds, pool: node.offer.pool, slots }
  let ticket: WaitTicket | undefined
  let notice: DeliveredNotice | undefined
  let tookMs = 0
  call.onGone(() => ticket?.leave())
  for (;;) {
    if (waiters.isFull) throw new RpcError(status.RESOURCE_EXHAUSTED, 'Too many nodes wait here.')
    const leftMs = Math.max(0, deadline - performance.now())
    ticket = waiters.join(fit, { ms: Math.min(leftMs, recheckMs) })
    try {
      const began = performance.now()
      const found = await tryLease(context, { nodeId, slots })
      tookMs = performance.now() - began
      if (notice !== undefined && (await isForOthers(context, { found, notice })))
        waiters.forward(notice)
      if (found.tasks.length > 0 || leftMs === 0) return found.tasks
      if (found.isHeldBack) {
        ticket.leave()
        ticket = waiters.join(fit, { ms: Math.min(leftMs, heldBackMs) })
      }
      notice = call.isGone() ? undefined : await ticket.wait()
    } finally {
      ticket.leave()
    }
    // A look may take long, and its tasks would be lost after the node's own deadline.
    const isLate = performance.now() + tookMs > deadline
    if (isLate || call.isGone() || waiters.isClosed) {
      if (notice !== undefined) waiters.forward(notice)
      return []
    }
  }
}

/** Tells whether the queue has something of the notice that this node does not get. */
async function isForOthers(
  { db }: SchedulerContext,
  { found, notice }: { found: Leased; notice: DeliveredNotice },
): Promise<boolean> {
  return found.isHeldBack || (found.tasks.length === 0 && (await isQueued(db, notice.kind)))
}

/** Leases queued tasks; else a speculative attempt at a straggler. */
async function tryLease(
  { batches, metrics }: SchedulerContext,
  request: SlotRequest,
): Promise<Leased> {
  const leased = await batches.leases.submit(request)
  if (leased.tasks.length > 0) return leased
  const speculative = await batches.speculative.submit(request.nodeId)
  if (speculative === undefined) return leased
  metrics.leasedSpeculatively(speculative.kind)
  return { ...leased, tasks: [speculative] }
}

/**
 * Builds the tasks with their URLs, as many as fit into one message; the others go back at once.
 */
async function prepare(
  context: SchedulerContext,
  { nodeId, leased }: { nodeId: string; leased: readonly LeasedTask[] },
): Promise<Task[]> {
  const tasks: Task[] = []
  const left: LeasedTask[] = []
  let bytes = 0
  for (const each of leased) {
    const task = await toTask(context, each)
    const size = Task.encode(task).finish().length
    if (size > maxTaskBytes) await refuseTask(context, { nodeId, task })
    else if (bytes + size > maxTaskBytes) left.push(each)
    else {
      bytes += size
      tasks.push(task)
    }
  }
  if (left.length > 0) await handBackTasks(context.db, { nodeId, attempts: attemptsOf(left) })
  return tasks
}

async function toTask({ signer }: SchedulerContext, leased: LeasedTask): Promise<Task> {
  const { id, attempt, kind, jobId, spec, accountId, slots } = leased
  const seconds = urlSeconds
  return {
    id,
    attempt,
    kind,
    jobId,
    accountId,
    slots,
    spec,
    inputs: await Promise.all(
      leased.inputs.map(async ({ name, key }) => ({
        name,
        url: await signer.signGet(key, { seconds }),
      })),
    ),
    // Every attempt may write a log, which is no output of the task.
    outputs: await Promise.all(
      [...leased.outputs, 'log'].map(async (name) => {
        const key = taskOutputKey({ accountId, taskId: id, attempt, name })
        return { name, url: await signer.signPut(key, { seconds }) }
      }),
    ),
  }
}

/** Fails a task that fits into no message, so that its retries end with a reason. */
async function refuseTask(
  { db, log }: SchedulerContext,
  { nodeId, task }: { nodeId: string; task: Task },
): Promise<void> {
  log.error({ task: task.id, inputs: task.inputs.length }, 'a task does not fit into a message')
  await failTask(db, {
    nodeId,
    taskId: task.id,
    attempt: task.attempt,
    failure: {
      code: 'internal',
      message: 'A piece of the work names too many objects to be handed to a machine.',
      logTail: '',
    },
  })
}

function attemptsOf(leased: readonly LeasedTask[]): { taskId: string; attempt: number }[] {
  return leased.map(({ id, attempt }) => ({ taskId: id, attempt }))
}
