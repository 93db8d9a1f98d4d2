import { collectDefaultMetrics, Registry } from 'prom-client'

/** A registry of one role: Node's own metrics and whatever the role adds, all named `farm_*`. */
export function createMetrics(role: string): Registry {
  const registry = new Registry()
  registry.setDefaultLabels({ role })
  collectDefaultMetrics({ register: registry, prefix: 'farm_' })
  return registry
}
