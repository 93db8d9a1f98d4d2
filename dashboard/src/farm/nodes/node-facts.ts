import type { Reply } from '../api/reply.ts'

export type FarmNode = Reply<'GET /api/operator/nodes'>['nodes'][number]

/** A node that has said nothing for so long is taken for dead, as the scheduler does. */
const silentSeconds = 30

export type ShownState = FarmNode['state'] | 'silent' | 'paused'

/** State as it matters to the work: an active node may be silent, or take no tasks. */
export function stateOf({ state, silentSeconds: silent, pause }: FarmNode): ShownState {
  if (state !== 'active') return state
  if (silent > silentSeconds) return 'silent'
  return pause === '' ? 'active' : 'paused'
}

const offered = ({ offer }: FarmNode, name: string): unknown => offer[name]

export const poolOf = (node: FarmNode): string => String(offered(node, 'pool') ?? '')
export const poolName = (pool: string | null) => (pool === null ? 'whole farm' : pool || '(none)')
export const slotsOf = (node: FarmNode): number => Number(offered(node, 'slots') ?? 0)

/** Returns what a node offers, `canvas` and `encoders` in words; nothing for an old node. */
export function listOf(node: FarmNode, name: string): string {
  const value = offered(node, name)
  if (Array.isArray(value)) return value.map(String).join(', ')
  return value === undefined || value === null ? '' : String(value)
}

/** Returns the used share of the processor, memory and disk in percent, `–` where the node tells none. */
export function sharesOf({
  usage,
}: Pick<FarmNode, 'usage'>): readonly (readonly [string, string])[] {
  const percent = (used: number, all: number) =>
    all > 0 ? `${Math.round((used / all) * 100)} %` : '–'
  return [
    ['Processor', usage ? percent(usage.cpu, 1) : '–'],
    ['Memory', usage ? percent(usage.memoryUsedMb, usage.memoryMb) : '–'],
    ['Disk', usage ? percent(usage.diskUsedMb, usage.diskMb) : '–'],
  ]
}

export type NodeFilter = { readonly q?: string; readonly state?: string; readonly pool?: string }

/** Returns the nodes that match; `pool` is `(none)` for nodes that name none. */
export function matching(
  nodes: readonly FarmNode[],
  { q = '', state = '', pool = '' }: NodeFilter,
) {
  const text = q.toLowerCase()
  return nodes.filter(
    (node) =>
      (text === '' || node.name.toLowerCase().includes(text)) &&
      (state === '' || stateOf(node) === state) &&
      (pool === '' || poolName(poolOf(node)) === pool),
  )
}

export function countBy<T>(items: readonly T[], key: (item: T) => string) {
  const counts = new Map<string, number>()
  for (const item of items) counts.set(key(item), (counts.get(key(item)) ?? 0) + 1)
  return counts
}
