import { spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { agentTool } from '../../../../infra/setup/agent-tools.mjs'

type Check = {
  readonly scenario: string
  readonly id: string
  readonly status: string
  readonly errorMessage?: string
}

/** Runs the public conformance suite. `onLine` gets each line that it prints. */
export async function runSuite(args: readonly string[], onLine: (line: string) => void = () => {}) {
  const folder = await mkdtemp(join(tmpdir(), 'farm-test-'))
  try {
    const patience = join(import.meta.dirname, 'patience.ts')
    const all = ['--import', patience, agentTool('conformance'), ...args, '-o', folder]
    const run = spawn(process.execPath, all, { stdio: ['ignore', 'pipe', 'inherit'] })
    let out = ''
    run.stdout.setEncoding('utf8').on('data', (text: string) => {
      const from = out.lastIndexOf('\n') + 1
      out += text
      for (const line of out.slice(from, out.lastIndexOf('\n') + 1).split('\n')) onLine(line)
    })
    const code = await new Promise<number | null>((resolve) => run.on('close', resolve))
    return { code, out, checks: await checksIn(folder) }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Reads the checks of all scenarios. */
async function checksIn(folder: string): Promise<readonly Check[]> {
  const checks: Check[] = []
  for (const name of await readdir(folder)) {
    const [, scenario = ''] = /^(?:server|authorization)-(.*?)-?\d{4}-\d\d-\d\dT/.exec(name) ?? []
    const found = JSON.parse(await readFile(join(folder, name, 'checks.json'), 'utf8'))
    checks.push(...found.map((check: Omit<Check, 'scenario'>) => ({ ...check, scenario })))
  }
  return checks
}
