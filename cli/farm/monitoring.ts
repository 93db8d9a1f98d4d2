import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Role } from './role.ts'

const configuration = join(import.meta.dirname, '..', '..', 'infra', 'prometheus')

/** Path of Prometheus's configuration for the farm in a data folder. */
export function prometheusFile(dataDir: string): string {
  return join(dataDir, 'prometheus', 'prometheus.yml')
}

/** Writes the repository's configuration and alerts, with the roles of this farm as targets. */
export function writeMonitoring(dataDir: string, roles: readonly Role[]): void {
  const folder = join(dataDir, 'prometheus')
  cpSync(configuration, folder, { recursive: true })
  const targets = roles.map(({ command, env }) => ({
    targets: [env.FARM_METRICS_ADDRESS],
    labels: { job: `farm-${command}` },
  }))
  writeFileSync(join(folder, 'targets.json'), `${JSON.stringify(targets, null, 2)}\n`)
}
