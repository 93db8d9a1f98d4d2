import { nodeLiveMs } from '../../core/fleet/node-states.ts'
import { Batcher } from '../../runtime/batcher.ts'
import { batchStatements } from '../../store/db/batch-statements.ts'
import type { Db } from '../../store/db/database.ts'
import { type SeenNode, type Sign, seeNodes } from '../../store/db/fleet/see-nodes.ts'
import {
  type CompletedTask,
  type Completion,
  completeTasks,
} from '../../store/db/queue/complete-tasks.ts'
import { keepLiveLogs } from '../../store/db/queue/keep-live-logs.ts'
import { leaseSpeculative } from '../../store/db/queue/lease-speculative.ts'
import { leaseRound } from '../../store/db/queue/lease-tasks.ts'
import type { AttemptStatus } from '../../store/db/queue/lock-attempt.ts'
import { type LeaseNews, type Renewal, renewLeases } from '../../store/db/queue/renew-leases.ts'
import type { LeasedTask } from '../../store/db/queue/take-tasks.ts'
import { leaseMs } from '../timing.ts'

export type SlotRequest = { readonly nodeId: string; readonly slots: number }

/** `isHeldBack`: the node could take more, which waits a moment for idle nodes. */
export type Leased = { readonly tasks: readonly LeasedTask[]; readonly isHeldBack: boolean }

/** Batches of concurrent calls, each answered by one statement. */
export type CallBatches = {
  readonly leases: Batcher<SlotRequest, Leased>
  /** Speculative attempts at stragglers, for nodes that have nothing else to do. */
  readonly speculative: Batcher<string, LeasedTask | undefined>
  /** Undefined: the node has never registered. */
  readonly signs: Batcher<Sign, SeenNode | undefined>
  readonly renewals: Batcher<Renewal, readonly LeaseNews[]>
  readonly completions: Batcher<Completion, AttemptStatus<CompletedTask>>
}

/**
 * Batch sizes whose work takes about a tenth of a second, while the next calls wait: tasks, and
 * calls.
 */
const mostTasks = 256
const most = 256

export function createCallBatches(db: Db): CallBatches {
  return {
    leases: new Batcher((requests) => leaseBatch(db, requests), {
      most: mostTasks,
      weigh: ({ slots }) => slots,
    }),
    speculative: new Batcher((nodeIds) => leaseSpeculativeBatch(db, nodeIds), { most }),
    signs: new Batcher((signs) => seeNodes(db, signs), { most }),
    renewals: new Batcher((renewals) => renewBatch(db, renewals), { most }),
    completions: batchStatements((completions) => completeTasks(db, completions), { most }),
  }
}

async function leaseBatch(db: Db, requests: readonly SlotRequest[]): Promise<readonly Leased[]> {
  // A node that asks twice has hung up the first time.
  const latest = new Map(requests.map((each) => [each.nodeId, each]))
  const round = { wants: [...latest.values()], leaseMs, nodeLiveMs }
  const { leased, heldBackFrom } = await leaseRound(db, round)
  const given = Map.groupBy(leased, ({ nodeId }) => nodeId)
  return requests.map((each) => ({
    tasks: latest.get(each.nodeId) === each ? (given.get(each.nodeId) ?? []) : [],
    isHeldBack: heldBackFrom.includes(each.nodeId),
  }))
}

/** Runs one after the other, so that the second of two idle nodes may take the next straggler. */
async function leaseSpeculativeBatch(
  db: Db,
  nodeIds: readonly string[],
): Promise<readonly (LeasedTask | undefined)[]> {
  const leased = new Map<string, LeasedTask>()
  for (;;) {
    const idle = nodeIds.filter((id) => !leased.has(id))
    if (idle.length === 0) break
    const task = await leaseSpeculative(db, { nodeIds: idle, leaseMs }).catch((error: unknown) => {
      // Attempts that have been leased must reach their nodes.
      if (leased.size === 0) throw error
      return undefined
    })
    if (task === undefined) break
    leased.set(task.nodeId, task)
  }
  return nodeIds.map((id, index) =>
    nodeIds.lastIndexOf(id) === index ? leased.get(id) : undefined,
  )
}

async function renewBatch(
  db: Db,
  renewals: readonly Renewal[],
): Promise<readonly (readonly LeaseNews[])[]> {
  const told = renewals.flatMap(({ nodeId, held }) =>
    held.flatMap(({ taskId, attempt, log }) => (log ? [{ nodeId, taskId, attempt, ...log }] : [])),
  )
  // A log never costs a lease: the nodes send lines again that were not kept.
  if (told.length > 0) await keepLiveLogs(db, told).catch(() => undefined)
  const news = Map.groupBy(await renewLeases(db, { renewals, leaseMs }), ({ nodeId }) => nodeId)
  // A node that renews twice at once gets the whole list in both answers.
  return renewals.map(({ nodeId }) => news.get(nodeId) ?? [])
}
