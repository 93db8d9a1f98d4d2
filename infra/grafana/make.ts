// Writes the dashboards as Grafana imports them: `npm run dashboards`.
import { writeFileSync } from 'node:fs'
import { dashboards } from '../../core/charts/dashboards.ts'
import { dashboardJson } from './panels.ts'

for (const [name, dashboard] of Object.entries(dashboards)) {
  const file = new URL(`./${name}.json`, import.meta.url)
  writeFileSync(file, `${JSON.stringify(dashboardJson(dashboard), null, 2)}\n`)
}
