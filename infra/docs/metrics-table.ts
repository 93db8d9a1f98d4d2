// The table of metrics in docs/monitoring.md, made from the metrics that the roles register:
// `npm run docs:metrics` writes it, a test compares it.
import type { Registry } from 'prom-client'
import { createApiMetrics } from '../../api/metrics.ts'
import { addCertificateLife } from '../../runtime/certificate-metrics.ts'
import { createLog } from '../../runtime/log.ts'
import { createUsageReader } from '../../runtime/machine-usage.ts'
import { PoolLabels } from '../../runtime/metrics.ts'
import { addReadiness } from '../../runtime/metrics-server.ts'
import { addFleetMetrics } from '../../scheduler/fleet/fleet-metrics.ts'
import { createSchedulerMetrics } from '../../scheduler/metrics.ts'
import { openDatabase } from '../../store/db/database.ts'
import { createWorkerMetrics } from '../../worker/metrics.ts'
import { createWorkflowsMetrics } from '../../workflows/metrics.ts'
import { collectTemporal } from '../../workflows/temporal-metrics.ts'
import { type GeneratedSection, writeSection } from './generated-section.ts'

export type MetricFacts = {
  readonly name: string
  readonly type: string
  readonly labels: readonly string[]
  readonly help: string
  readonly roles: readonly string[]
}

/** Lists every metric of every role, by name, from the registries alone: nothing is connected. */
export function listMetrics(): readonly MetricFacts[] {
  const found = new Map<string, MetricFacts>()
  for (const [role, registry] of Object.entries(registries())) {
    for (const { name, type, help, labelNames } of metricsOf(registry)) {
      const roles = [...(found.get(name)?.roles ?? []), role]
      found.set(name, { name, type, help, labels: labelNames, roles })
    }
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}

function registries(): Readonly<Record<string, Registry>> {
  const log = createLog('metrics', 'silent')
  const api = createApiMetrics().registry
  const { registry: scheduler } = createSchedulerMetrics({ waitingPolls: () => 0 })
  // The database connects only at a scrape.
  const db = openDatabase({ url: 'postgres://127.0.0.1:1/none', log })
  addFleetMetrics(scheduler, { db, log, pools: new PoolLabels() })
  const workflows = createWorkflowsMetrics().registry
  collectTemporal(workflows).stop()
  const worker = createWorkerMetrics()
  const lanes = { count: 1, busy: 0 }
  worker.watchMachine({ usage: createUsageReader({ dir: '.' }), gpu: undefined, lanes })
  for (const registry of [scheduler, worker.registry]) addCertificateLife(registry, () => undefined)
  const all = { api, scheduler, workflows, worker: worker.registry }
  for (const registry of Object.values(all)) addReadiness(registry, async () => undefined)
  return all
}

type Registered = { name: string; type: string; help: string; labelNames: readonly string[] }

/** Reads the label names, which prom-client keeps in its metrics and omits from its types. */
function metricsOf(registry: Registry): Registered[] {
  return registry.getMetricsAsArray().map(({ name }) => {
    const metric: unknown = registry.getSingleMetric(name)
    const { type = metric?.constructor.name.toLowerCase() ?? '', ...rest } = metric as Registered
    return { ...rest, name, type }
  })
}

export const metricsSection: GeneratedSection = {
  ...{ page: 'monitoring.md', name: 'metrics', script: 'docs:metrics' },
  generate() {
    const isOwn = ({ name }: MetricFacts) => !/^farm_(nodejs|process)_/.test(name)
    const rows = listMetrics()
      .filter(isOwn)
      .map(({ name, type, labels, help, roles }) => {
        const shown = labels.map((label) => `\`${label}\``).join(', ')
        const everywhere = roles.length === 4 ? 'all' : roles.join(', ')
        return `| \`${name}\` | ${type} | ${shown} | ${everywhere} | ${help} |`
      })
    return ['| metric | type | labels | role | what |', '|---|---|---|---|---|', ...rows].join('\n')
  },
}

if (import.meta.main) await writeSection(metricsSection)
