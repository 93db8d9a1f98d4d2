import { execFile } from 'node:child_process'
import { join } from 'node:path'
import test from 'ava'
import { profiles } from '../../../agent/profiles.ts'
import { agentTool } from '../../../infra/setup/agent-tools.mjs'
import { type Gateway, startGateway } from '../gateway.ts'
import { listen } from './host.ts'

/** Tests the endpoint by the public inspector, which knows nothing of this project. */

let gateway: Gateway
let url: URL

test.before(async () => {
  gateway = await startGateway()
  url = await listen(gateway)
})
test.after.always(() => gateway?.stop())

const program = join(import.meta.dirname, '..', '..', '..', 'agent', 'main.ts')

function inspect(args: readonly string[], env: Record<string, string> = {}) {
  return new Promise<{ code: number; out: string; error: string }>((resolve) => {
    const all = [agentTool('mcp-inspector'), '--cli', ...args]
    const options = { env: { PATH: process.env.PATH, ...env }, maxBuffer: 2 ** 24 }
    execFile(process.execPath, all, options, (failure, out, error) => {
      resolve({ code: failure ? Number(failure.code ?? -1) : 0, out, error })
    })
  })
}

const listing = ['--method', 'tools/list', '--strict', '--format', 'json']

for (const era of ['modern', 'legacy'] as const) {
  for (const profile of profiles) {
    test(`the inspector finds no error in strict mode: ${profile}, ${era}, http`, async (t) => {
      const { key } = await gateway.customer()
      const address = `${url.href}?profile=${profile}`
      const to = [address, '--transport', 'http', '--header', `X-Api-Key: ${key}`]
      const { code, out, error } = await inspect([...to, '--protocol-era', era, ...listing])
      t.is(code, 0, error)
      t.true(JSON.parse(out).result.tools.length >= 7)
    })

    test(`the inspector finds no error in strict mode: ${profile}, ${era}, stdio`, async (t) => {
      const { key } = await gateway.customer()
      const env = { FARM_URL: url.origin, FARM_API_KEY: key, FARM_AGENT_PROFILE: profile }
      const set = Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value}`])
      const started = ['--', process.execPath, program]
      const args = [...set, '--protocol-era', era, ...listing, ...started]
      const { code, out, error } = await inspect(args, env)
      t.is(code, 0, error)
      t.true(JSON.parse(out).result.tools.length >= 7)
    })
  }
}
