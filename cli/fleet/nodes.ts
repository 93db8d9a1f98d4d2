import { type NodeAct, nodeActs } from '../../core/fleet/node-states.ts'
import type { Db } from '../../store/db/database.ts'
import { listActs } from '../../store/db/fleet/list-acts.ts'
import { listNodes, type NodeView } from '../../store/db/fleet/list-nodes.ts'
import { moveNode } from '../../store/db/fleet/move-node.ts'
import { listAttempts } from '../../store/db/queue/list-attempts.ts'
import { type Answer, answerRows, operate } from '../accounts/operate.ts'
import { showTable, type TableRow } from '../accounts/table.ts'
import { Failure } from '../failure.ts'
import { type ActOptions, act } from './act.ts'

type Json = { readonly json?: boolean }

const listedMs = 24 * 3_600_000
/** Equals the scheduler's limit (scheduler/context.ts). */
const silentAfterSeconds = 30
const attemptsShown = 20
const actsShown = 10

export async function showNodes({ json }: Json): Promise<void> {
  await operate(json, async (db) => {
    const nodes = await listNodes(db, { seenWithinMs: listedMs })
    return { json: nodes, text: showTable(nodes.map(rowOf)) }
  })
}

export async function showNode({ node, json }: { node: string } & Json): Promise<void> {
  await operate(json, async (db) => await answerNode(db, await requireNode(db, node)))
}

/** `farm nodes cordon|uncordon|drain|release NODE`. @throws Failure where the state forbids it */
export async function changeNode(
  nodeAct: Extract<NodeAct, 'cordon' | 'uncordon' | 'drain' | 'release'>,
  { node, json, ...options }: { node: string } & ActOptions,
): Promise<void> {
  await operate(json, async (db) => {
    const { id, state } = await requireNode(db, node)
    const done = { what: `nodes ${nodeAct}`, subject: id, ...options }
    await act(db, done, async (tx) => {
      if (await moveNode(tx, { nodeId: id, act: nodeAct, reason: options.why })) return
      const { from } = nodeActs[nodeAct]
      throw new Failure(
        `A node to ${nodeAct} must be ${from.join(' or ')}. Got one that is ${state}`,
      )
    })
    return answerRows((await listNodes(db, { seenWithinMs: 0, node: id })).map(rowOf))
  })
}

async function answerNode(db: Db, node: NodeView): Promise<Answer> {
  const attempts = await listAttempts(db, { of: 'node', id: node.id, limit: attemptsShown })
  const history = await listActs(db, { subject: node.id, limit: actsShown })
  const { offer, stateReason, stateSince } = node
  const facts = [
    `state since ${stateSince.toISOString()}: ${stateReason || 'registered'}`,
    `does ${offer.kinds.join(', ')} with ${offer.encoders.join(', ')}`,
    `tags ${offer.tags.join(', ') || '-'}`,
    `lanes ${offer.lanes || '?'} for ${offer.slots} slots`,
    `sizes ${offer.memoryMb || '?'} MB, GPU ${offer.gpuMemoryMb ?? 0} MB, ${offer.encoderSessions || 'any number of'} encoder sessions`,
  ]
  const rows = attempts.map(({ taskId, attempt, kind, state, seconds, error }) => ({
    ...{ task: taskId, attempt, kind, state, seconds: round(seconds) },
    error: error?.message ?? '',
  }))
  const acts = history.map(({ subject, ...each }) => each)
  const text = [
    ...[showTable([rowOf(node)]), '', ...facts],
    ...['', 'latest attempts:', showTable(rows)],
    ...['', 'on record (farm audit):', showTable(acts)],
  ]
  return { json: { ...node, attempts, history }, text: text.join('\n') }
}

/** @throws Failure when no node has this id or name, or several have the name */
export async function requireNode(db: Db, node: string): Promise<NodeView> {
  const [found, second] = await listNodes(db, { seenWithinMs: 0, node })
  if (found && !second) return found
  const why = second ? 'which several nodes are named' : 'which does not exist'
  throw new Failure(`NODE must be the id or the name of one node. Got ${node}, ${why}`)
}

function rowOf({ id, name, state, pause, offer, ...node }: NodeView): TableRow {
  const isSilent = node.silentSeconds > silentAfterSeconds
  return {
    ...{ id, name, pool: offer.pool || '-', state: isSilent ? `${state}, silent` : state },
    ...{ running: node.running, slots: offer.slots, ok: node.succeeded, failed: node.failed },
    ...{ canvas: `${offer.canvas} ${offer.device}`, seen: `${round(node.silentSeconds)} s ago` },
    note: pause,
  }
}

function round(seconds: number): number {
  return Math.round(seconds * 10) / 10
}
