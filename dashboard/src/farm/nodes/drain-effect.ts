import type { Reply } from '../api/reply.ts'
import { type FarmNode, poolOf, slotsOf, stateOf } from './node-facts.ts'

type Pool = Reply<'GET /api/operator/pools'>['pools'][number]

export type PoolEffect = {
  readonly pool: string
  readonly slotsBefore: number
  readonly slotsAfter: number
  /** Tasks that run in the pool now. */
  readonly running: number
  /** Limit that the pool falls under; null: it has none, or stays above it. */
  readonly limit: number | null
}

/**
 * Tells what comes of stopping nodes: the tasks that run on them, and for each pool that they take work
 * for, its slots before and after.
 */
export function stopEffect(
  stopped: readonly FarmNode[],
  { nodes, pools }: { readonly nodes: readonly FarmNode[]; readonly pools: readonly Pool[] },
): { readonly tasks: number; readonly pools: readonly PoolEffect[] } {
  const gone = new Set(stopped.map(({ id }) => id))
  const working = nodes.filter((node) => stateOf(node) === 'active')
  const touched = new Set(working.filter(({ id }) => gone.has(id)).map(poolOf))
  return {
    tasks: stopped.reduce((sum, { running }) => sum + running, 0),
    pools: [...touched].toSorted().map((pool) => {
      const own = working.filter((node) => poolOf(node) === pool)
      const left = own.filter(({ id }) => !gone.has(id))
      const known = pools.find((each) => each.pool === pool)
      const slotsAfter = sumOf(left)
      const limit = known?.slotsMax ?? null
      return {
        ...{ pool, slotsBefore: sumOf(own), slotsAfter, running: known?.running ?? 0 },
        limit: limit !== null && slotsAfter < limit ? limit : null,
      }
    }),
  }
}

const sumOf = (nodes: readonly FarmNode[]) => nodes.reduce((sum, node) => sum + slotsOf(node), 0)
