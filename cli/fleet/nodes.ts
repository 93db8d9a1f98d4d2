import { getNodeOperation, listNodesOperation, nodeChanges } from '../../operator/nodes.ts'
import type { NodeView } from '../../store/db/fleet/list-nodes.ts'
import { type Answer, answerRows, operateFarm } from '../accounts/operate.ts'
import { showTable, type TableRow } from '../accounts/table.ts'
import type { ActOptions } from './act.ts'

type Json = { readonly json?: boolean }

/** Equals the scheduler's limit (scheduler/context.ts). */
const silentAfterSeconds = 30

export async function showNodes({ json }: Json): Promise<void> {
  await operateFarm({ json }, async (farm) => {
    const { nodes } = await farm.run(listNodesOperation, {})
    return { json: nodes, text: showTable(nodes.map(rowOf)) }
  })
}

export async function showNode({ node, json }: { node: string } & Json): Promise<void> {
  await operateFarm({ json }, async (farm) =>
    answerNode(await farm.run(getNodeOperation, { node })),
  )
}

/** `farm nodes cordon|uncordon|drain|release NODE`. @throws FarmError where the state forbids it */
export async function changeNode(
  nodeAct: keyof typeof nodeChanges,
  { node, why, ...options }: { node: string } & ActOptions,
): Promise<void> {
  await operateFarm(options, async (farm) => {
    const { nodes } = await farm.run(nodeChanges[nodeAct], { nodes: [node], why })
    return answerRows(nodes.map(rowOf))
  })
}

type ShownNode = Awaited<ReturnType<typeof getNodeOperation.run>>

function answerNode(node: ShownNode): Answer {
  const { attempts, history, offer, stateReason, stateSince } = node
  const facts = [
    `state since ${stateSince.toISOString()}: ${stateReason || 'registered'}`,
    `does ${offer.kinds.join(', ')} with ${offer.encoders.join(', ')}`,
    `tags ${offer.tags.join(', ') || '-'}`,
    `lanes ${offer.lanes || '?'} for ${offer.slots} slots`,
    `uses ${inUse(node)}`,
    `sizes ${offer.memoryMb || '?'} MB, GPU ${offer.gpuMemoryMb ?? 0} MB, ${offer.encoderSessions || 'any number of'} encoder sessions`,
  ]
  const rows = attempts.map(({ taskId, attempt, kind, state, seconds, error }) => ({
    ...{ task: taskId, attempt, kind, state, seconds: round(seconds) },
    error: error?.message ?? '',
  }))
  const acts = history.map(({ id, subject, ...each }) => each)
  const text = [
    ...[showTable([rowOf(node)]), '', ...facts],
    ...['', 'latest attempts:', showTable(rows)],
    ...['', 'on record (farm audit):', showTable(acts)],
  ]
  return {
    json: { ...node, history: history.map(({ id, ...each }) => each) },
    text: text.join('\n'),
  }
}

function rowOf({ id, name, state, pause, offer, ...node }: NodeView): TableRow {
  const isSilent = node.silentSeconds > silentAfterSeconds
  return {
    ...{ id, name, pool: offer.pool || '-', state: isSilent ? `${state}, silent` : state },
    ...{ running: node.running, slots: offer.slots, ok: node.succeeded, failed: node.failed },
    ...usageOf(node),
    ...{ canvas: `${offer.canvas} ${offer.device}`, seen: `${round(node.silentSeconds)} s ago` },
    note: pause,
  }
}

function inUse({ usage }: Pick<NodeView, 'usage'>): string {
  if (usage === null) return 'what its version does not tell'
  const { memoryUsedMb, memoryMb, diskUsedMb, diskMb } = usage
  return `${Math.round(100 * usage.cpu)} % of its processor, ${memoryUsedMb} of ${memoryMb} MB memory, ${diskUsedMb} of ${diskMb} MB disk`
}

/** Shares of processor, memory and disk in use. */
function usageOf({ usage }: Pick<NodeView, 'usage'>) {
  if (usage === null) return { cpu: '-', memory: '-', disk: '-' }
  const percent = (share: number) => `${Math.round(100 * share)} %`
  const of = (used: number, all: number) => (all > 0 ? percent(used / all) : '-')
  return {
    cpu: percent(usage.cpu),
    memory: of(usage.memoryUsedMb, usage.memoryMb),
    disk: of(usage.diskUsedMb, usage.diskMb),
  }
}

function round(seconds: number): number {
  return Math.round(seconds * 10) / 10
}
