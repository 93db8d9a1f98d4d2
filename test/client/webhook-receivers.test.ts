import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { attemptHeaders } from '../../core/webhooks/signature.ts'
import { buildClient } from '../../infra/client/build-client.ts'
import { freePort } from '../../infra/local/ports.ts'
import { sign } from '../../workflows/webhooks/sign.ts'

/** The receivers of docs/webhooks.md are run unchanged. */
const page = readFileSync(new URL('../../docs/webhooks.md', import.meta.url), 'utf8')
/** PATH without this package's own programs, of which Node is one. */
const outsidePath = (process.env.PATH ?? '')
  .split(':')
  .filter((folder) => !folder.includes('node_modules'))
  .join(':')
const run = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'farm-test-'))
test.after.always(() => rmSync(folder, { recursive: true, force: true }))

const secret = `whsec_${Buffer.alloc(32, 'r').toString('base64')}`
const body = '{"event":"render.completed","jobId":"7f0c6d2e-6c1b-4a53-9b0e-0d6b4f2d5a10","é":"😀"}'

function exampleIn(language: string): string {
  const [, code] = new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(page) ?? []
  if (code === undefined) throw new Error(`docs/webhooks.md has no example in ${language}`)
  return code
}

function headersAt(timestamp: number): Record<string, string> {
  const about = { deliveryId: 'd1', event: 'render.completed', jobId: 'j1' } as const
  const attempt = { ...about, timestamp, body }
  return attemptHeaders(attempt, sign(attempt, { secrets: [secret], number: 0 }))
}

const now = Math.floor(Date.now() / 1000)
const fresh = headersAt(now)
const forged = { ...fresh, 'X-Service-Signature': `sha256=${'0'.repeat(64)}` }
/** Headers, body, and whether they are accepted. */
const cases: readonly (readonly [Record<string, string>, string, boolean])[] = [
  [fresh, body, true],
  [forged, body, false],
  [fresh, `${body} `, false],
  [headersAt(now - 400), body, false],
  [headersAt(now + 400), body, false],
  [{ ...fresh, 'X-Service-Timestamp': 'now' }, body, false],
  [{ ...fresh, 'X-Service-Signature': '' }, body, false],
]

/** Node as the set-up installs it, and the one on the customer's PATH, which may be older. */
const nodes = [process.execPath, 'node']

for (const node of nodes) {
  test(`the JavaScript receiver takes only genuine events, run by ${node === 'node' ? 'the system’s Node' : 'our Node'}`, async (t) => {
    const own = mkdtempSync(join(folder, 'receiver-'))
    buildClient(join(own, 'node_modules', 'render-farm-client'))
    const file = join(own, 'receiver.mjs')
    writeFileSync(file, exampleIn('js'))
    const port = await freePort()
    const env = { ...process.env, PATH: outsidePath, WEBHOOK_SECRET: secret, PORT: String(port) }
    const child = spawn(node, [file], { env, stdio: 'ignore' })
    t.teardown(() => child.kill('SIGKILL'))
    for (const [headers, text, isGenuine] of cases) {
      t.is(await postWhenUp(child, { port, headers, text }), isGenuine ? 204 : 400)
    }
  })
}

async function postWhenUp(
  child: ChildProcess,
  { port, headers, text }: { port: number; headers: Record<string, string>; text: string },
): Promise<number> {
  for (;;) {
    try {
      const url = `http://127.0.0.1:${port}/`
      return (await fetch(url, { method: 'POST', headers, body: text })).status
    } catch (error) {
      if (child.exitCode !== null) throw error
    }
  }
}

test('the Python receiver takes what is genuine and nothing else', async (t) => {
  const given = join(folder, 'given.json')
  writeFileSync(given, JSON.stringify(cases.map(([headers, text]) => [headers, text])))
  const script = `${exampleIn('python')}
import json, sys
for headers, text in json.load(open(sys.argv[1], encoding="utf-8")):
    print(is_genuine(headers, text.encode(), sys.argv[2]))
`
  const { stdout } = await run('python3', ['-c', script, given, secret])
  t.deepEqual(
    stdout.trim().split('\n'),
    cases.map(([, , isGenuine]) => (isGenuine ? 'True' : 'False')),
  )
})

test('the shell receiver takes what is genuine and nothing else', async (t) => {
  const file = join(folder, 'verify.sh')
  writeFileSync(file, exampleIn('sh'))
  for (const [headers, text, isGenuine] of cases) {
    const bodyFile = join(folder, 'body')
    writeFileSync(bodyFile, text)
    const given = [headers['X-Service-Timestamp'] ?? '', headers['X-Service-Signature'] ?? '']
    const env = { ...process.env, WEBHOOK_SECRET: secret }
    const passed = await run('sh', [file, bodyFile, ...given], { env }).then(
      () => true,
      () => false,
    )
    t.is(passed, isGenuine, JSON.stringify(headers))
  }
})
