import { collectDefaultMetrics, Registry } from 'prom-client'

/** A registry of one role: Node's own metrics and whatever the role adds, all named `farm_*`. */
export function createMetrics(role: string): Registry {
  const registry = new Registry()
  registry.setDefaultLabels({ role })
  collectDefaultMetrics({ register: registry, prefix: 'farm_' })
  return registry
}

const pooled = 50
const otherPools = 'other'

/**
 * Names of pools as values of a label. Nodes name their pools themselves, so only the first fifty
 * that a process meets stand for themselves; the rest are `other`.
 */
export class PoolLabels {
  readonly #known = new Set<string>()

  of(pool: string): string {
    if (this.#known.has(pool)) return pool
    if (this.#known.size >= pooled) return otherPools
    this.#known.add(pool)
    return pool
  }
}
