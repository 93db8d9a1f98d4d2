// Copies alerts and dashboards into the chart, which can hold only files of its own folder:
// `npm run chart:files`.
import { copyFileSync } from 'node:fs'
import { basename } from 'node:path'

/** Files of infra/ that deploy/chart/files has copies of. */
export const chartFiles = [
  ...['prometheus/rules/farm.yml', 'grafana/customers.json'],
  ...['grafana/fleet.json', 'grafana/jobs.json'],
]

/** Returns the file in infra/ and its copy in the chart. */
export function placesOf(file: string): { readonly from: URL; readonly to: URL } {
  return {
    from: new URL(`../${file}`, import.meta.url),
    to: new URL(`../../deploy/chart/files/${basename(file)}`, import.meta.url),
  }
}

if (import.meta.main) {
  for (const { from, to } of chartFiles.map(placesOf)) copyFileSync(from, to)
}
