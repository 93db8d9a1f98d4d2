import { join } from 'node:path'
import { styleText } from 'node:util'
import { defaultDataDir, operateFile } from './data-folder.ts'
import { makeSignIns, type OperatorSignIn, type SignIns } from './dev-sign-in.ts'
import { type FarmEvent, startLocalFarm } from './local-farm.ts'
import { prometheusFile } from './monitoring.ts'

export type DevFarm = {
  readonly port?: number
  readonly workers: number
  readonly apart?: boolean
  readonly data?: string
  readonly json: boolean
}

/** `farm dev`: runs a farm until Ctrl-C, then ends every process of it. */
export async function runDevFarm({ data, json, ...options }: DevFarm): Promise<void> {
  const dataDir = data ?? defaultDataDir
  const began = performance.now()
  const farm = startLocalFarm({ ...options, dataDir, onEvent: sayEvent })
  const interrupted = untilInterrupted()
  try {
    const address = await Promise.race([farm.ready, interrupted])
    if (address) {
      const { url, apiKey } = address
      const signIns = await makeSignIns({ ...address, dataDir })
      const seconds = ((performance.now() - began) / 1000).toFixed(1)
      process.stdout.write(
        json
          ? `${JSON.stringify({ url, apiKey, ...signIns })}\n`
          : greeting({ url, apiKey, ...signIns }, { dataDir, seconds }),
      )
    }
    const cause = await Promise.race([farm.gaveUp, interrupted])
    if (cause) throw cause
  } finally {
    await farm.stop()
  }
  process.exit(0)
}

/** Resolves at the first signal that asks to end. A second one ends the process at once. */
function untilInterrupted(): Promise<undefined> {
  return new Promise((resolve) => {
    let asked = false
    const stop = () => {
      if (asked) process.exit(1)
      asked = true
      process.stderr.write('stopping\n')
      resolve(undefined)
    }
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
  })
}

function sayEvent(event: FarmEvent): void {
  const sentence = event.kind === 'ready' ? `${event.name} is ready` : event.sentence
  const mark = event.kind === 'ready' ? styleText('green', '✓') : styleText('yellow', '!')
  process.stderr.write(`${mark} ${sentence}\n`)
}

function greeting(
  { url, apiKey, dashboardUrl, operator }: { url: string; apiKey: string } & SignIns,
  { dataDir, seconds }: { dataDir: string; seconds: string },
): string {
  return `
The farm is ready (${seconds} s).

  URL        ${url}
  API key    ${apiKey}
  Data       ${dataDir}, logs in ${dataDir}/logs
  Dashboard  ${dashboardUrl}
             (signs you in once, within 10 minutes)${operator ? operatorLines(operator) : ''}

Render from another terminal:

  FARM_URL=${url} FARM_API_KEY=${apiKey} ./farm render FILE

Operate it (nodes, pools, jobs, queue, logs, accounts):

  set -a; . ${join(dataDir, operateFile)}; ./farm nodes

Monitor it (targets and alerts; dashboards for Grafana are in infra/grafana):

  prometheus --config.file=${prometheusFile(dataDir)} --storage.tsdb.path=${join(dataDir, 'prometheus', 'data')}

Ctrl-C stops it.
`
}

function operatorLines({ url, email, passwordFile }: OperatorSignIn): string {
  return `
  Operators  ${url}
             (as ${email}; its password is in ${passwordFile})`
}
