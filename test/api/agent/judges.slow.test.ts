import { execFile } from 'node:child_process'
import { join } from 'node:path'
import test from 'ava'
import { profiles, toolsOf } from '../../../agent/profiles.ts'
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

function inspect(args: readonly string[]) {
  return new Promise<{ code: number; out: string; error: string }>((resolve) => {
    const all = [agentTool('mcp-inspector'), '--cli', ...args]
    const options = { env: { PATH: process.env.PATH }, maxBuffer: 2 ** 24 }
    execFile(process.execPath, all, options, (failure, out, error) => {
      resolve({ code: failure ? Number(failure.code ?? -1) : 0, out, error })
    })
  })
}

type Request = readonly [string, readonly string[], RegExp]

/** Requests beside the strict listing of tools, and what each answer must hold. */
const requests: readonly Request[] = [
  ['calls a tool', ['tools/call', '--tool-name', 'get_account'], /Credits: 1000 available/],
  ['lists prompts', ['prompts/list'], /"bulk_from_table"/],
  ['lists resources', ['resources/list'], /"farm:\/\/guidelines"/],
  ['reads a resource', ['resources/read', '--uri', 'farm://schema/text'], /TEXT, in /],
]
/** Asked once in each era and transport: no profile changes them. */
const more: readonly Request[] = [
  [
    'calls a tool with arguments',
    ['tools/call', '--tool-name', 'get_schema', '--tool-arg', 'part=TEXT'],
    /TEXT, in /,
  ],
  [
    'gets a prompt',
    ['prompts/get', '--prompt-name', 'promo', '--prompt-args', 'subject=tea'],
    /about: tea/,
  ],
  ['lists templates of resources', ['resources/templates/list'], /"farm:\/\/render\/\{id\}"/],
]

const transports = {
  http: (key: string, profile: string) => ({
    before: [
      ...[`${url.href}?profile=${profile}`, '--transport', 'http'],
      ...['--header', `X-Api-Key: ${key}`],
    ],
    after: [],
  }),
  stdio: (key: string, profile: string) => {
    const env = { FARM_URL: url.origin, FARM_API_KEY: key, FARM_AGENT_PROFILE: profile }
    const before = Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value}`])
    return { before, after: ['--', process.execPath, program] }
  },
}

for (const era of ['modern', 'legacy'] as const) {
  for (const profile of profiles) {
    for (const [transport, targetOf] of Object.entries(transports)) {
      const how = `${profile}, ${era}, ${transport}`
      const ask = async (...method: readonly string[]) => {
        const { key } = await gateway.customer()
        const { before, after } = targetOf(key, profile)
        const format = ['--format', 'json', '--connect-timeout', '60000']
        return await inspect([
          ...[...before, '--protocol-era', era, '--method', ...method, ...format, ...after],
        ])
      }

      test.serial(`the inspector finds no error in strict mode: ${how}`, async (t) => {
        const { code, out, error } = await ask('tools/list', '--strict')
        t.is(code, 0, error)
        const { tools } = JSON.parse(out).result
        t.deepEqual(
          tools.map(({ name }: { name: string }) => name),
          toolsOf[profile].map(({ name }) => name),
        )
      })

      test.serial(`the inspector calls, gets and reads: ${how}`, async (t) => {
        const asked = profile === 'creator' ? [...requests, ...more] : requests
        for (const [what, method, expected] of asked) {
          const { code, out, error } = await ask(...method)
          t.is(code, 0, `${what}: ${error}`)
          t.regex(JSON.stringify(JSON.parse(out).result), expected, what)
        }
      })
    }
  }
}
