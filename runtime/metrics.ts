import { collectDefaultMetrics, Registry } from 'prom-client'

/** Creates a role's registry: Node's own metrics and the role's, all named `farm_*`. */
export function createMetrics(role: string): Registry {
  const registry = new Registry()
  registry.setDefaultLabels({ role })
  collectDefaultMetrics({ register: registry, prefix: 'farm_' })
  return registry
}

const pooled = 50
const otherPools = 'other'

/**
 * Maps pool names to label values. Nodes name their pools themselves, so only the first fifty that
 * a process meets keep their names; the rest are `other`.
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
