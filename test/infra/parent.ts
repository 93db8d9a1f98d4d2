// Process that tests start and kill: `parent.ts KIND DATA_DIR` starts one thing, prints `ready` and
// stays until it is ended.
import { startMinio } from '../../infra/local/minio.ts'
import { startPostgres } from '../../infra/local/postgres.ts'
import { startProcess } from '../../infra/local/processes.ts'
import { startTemporal } from '../../infra/local/temporal.ts'

const [kind, dataDir = ''] = process.argv.slice(2)

const starters: Record<string, () => Promise<unknown>> = {
  postgres: () => startPostgres({ dataDir }),
  temporal: () => startTemporal({ dataDir }),
  minio: () => startMinio({ dataDir }),
  // Ignores being asked to end.
  stubborn: () =>
    startProcess({
      name: 'stubborn',
      command: '/bin/sh',
      args: ['-c', `trap '' TERM; while :; do sleep 0.1; done; : ${dataDir}`],
      logFile: `${dataDir}/log`,
      graceMs: 1_000,
    }),
}

await starters[kind ?? '']?.()
console.log('ready')
setInterval(() => undefined, 60_000)
