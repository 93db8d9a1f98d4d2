import { execFileSync, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import test from 'ava'
import { createKey } from '../../../store/db/accounts/create-key.ts'
import { suspendAccount } from '../../../store/db/accounts/suspend-account.ts'
import { film, type Gateway, renderPath, requestOf, startGateway } from '../gateway.ts'
import { listen } from './host.ts'
import { envelope } from './task-host.ts'

let gateway: Gateway
let url: string

test.before(async () => {
  gateway = await startGateway()
  url = (await listen(gateway)).origin
})
test.after.always(() => gateway?.stop())

const program = join(import.meta.dirname, '..', '..', '..', 'agent', 'main.ts')
const manifest = JSON.parse(readFileSync(join(dirname(program), '..', 'package.json'), 'utf8'))
const wrongKey = `svc_${'0'.repeat(64)}`

for (const mode of ['auto', 'legacy'] as const) {
  test(`a host on stdio lists and calls tools: ${mode}`, async (t) => {
    const { key } = await gateway.customer()
    const client = new Client({ name: 'test-host', version: '1' }, { versionNegotiation: { mode } })
    const env = { FARM_URL: url, FARM_API_KEY: key, FARM_AGENT_PROFILE: 'developer' }
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: [program], env }),
    )
    t.is((await client.listTools()).tools.length, 29)
    const saved = await client.callTool({
      name: 'save_draft',
      arguments: { name: 'From stdio', project: film },
    })
    t.regex(JSON.stringify(saved.content), /version 1: valid, 2 credits/)
    const found = await client.callTool({ name: 'find_examples', arguments: { query: 'menu' } })
    t.deepEqual(
      found.content.map(({ type }) => type),
      ['text', 'image'],
    )
    await client.close()
  })
}

/** Pipes lines in, closes stdin, and waits for the end. */
async function piped(lines: readonly (object | string)[], env: Record<string, string>) {
  const child = spawn(process.execPath, [program], { env: { PATH: process.env.PATH, ...env } })
  const out: Buffer[] = []
  const errors: Buffer[] = []
  child.stdout.on('data', (chunk) => out.push(chunk))
  child.stderr.on('data', (chunk) => errors.push(chunk))
  child.stdin.end(
    lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''),
  )
  const code = await new Promise((resolve) => child.once('close', resolve))
  return { code, out: Buffer.concat(out).toString(), error: Buffer.concat(errors).toString() }
}

const opening = [
  {
    ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
    params: {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'pipe', version: '1' },
    },
  },
  { jsonrpc: '2.0', method: 'notifications/initialized' },
]
const calling = (name: string) => ({
  ...{ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name, arguments: {} } },
})

test('piped requests are answered in JSON-RPC alone before the program ends', async (t) => {
  const { key } = await gateway.customer()
  const env = { FARM_URL: url, FARM_API_KEY: key }
  const { code, out } = await piped([...opening, calling('get_account')], env)
  t.is(code, 0)
  const messages = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  t.deepEqual(
    messages.map(({ jsonrpc, id }) => [jsonrpc, id]),
    [
      ['2.0', 1],
      ['2.0', 2],
    ],
  )
  t.regex(messages[1].result.content[0].text, /Credits: 1000 available/)
  t.regex(messages[1].result.content[0].text, /bulks of at most 50 items\./)
})

test('a line too long is refused, and the next is answered', async (t) => {
  const { key } = await gateway.customer()
  const mebibyte = 1024 * 1024
  const long = { ...calling('get_account'), id: 3, params: { name: 'x'.repeat(11 * mebibyte) } }
  const project = { text: 'x'.repeat(3 * mebibyte) }
  const params = { name: 'check_project', arguments: { project } }
  const large = { ...calling('check_project'), id: 4, params }
  const lines = [...opening, long, large, 'x'.repeat(4 * mebibyte + 1), calling('get_account')]
  const { code, out, error } = await piped(lines, { FARM_URL: url, FARM_API_KEY: key })
  t.is(code, 0)
  t.is(error, '')
  const answers = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const refused = answers.filter(({ id }) => id === null)
  t.deepEqual(
    refused.map((each) => each.error.code),
    [-32600, -32600],
  )
  for (const each of refused) t.regex(each.error.message, /at most 4 MiB\. Got a longer one\. Send/)
  const textOf = (asked: number) => answers.find(({ id }) => id === asked)?.result.content[0].text
  t.regex(textOf(4), /^body_too_large: /)
  t.regex(textOf(2), /Credits: 1000 available/)
  t.is(answers.length, 5)
})

test('a long render is a task on stdio as well', async (t) => {
  const { key, post } = await gateway.customer()
  const { id: quote } = (await post('/api/quotes', { payload: film })).json()
  const { jobId } = (await post(`/api/quotes/${quote}/render`)).json()
  const asked = [
    { method: 'tools/call', params: { name: 'render', arguments: { quote } } },
    { method: 'tasks/get', params: { taskId: jobId } },
  ].map(({ method, params }, id) => ({
    ...{ jsonrpc: '2.0', id, method, params: { ...params, ...envelope() } },
  }))
  const { code, out } = await piped(asked, { FARM_URL: url, FARM_API_KEY: key })
  t.is(code, 0)
  const answers = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const answerTo = (method: string) =>
    answers.find(({ id }) => asked[id]?.method === method)?.result
  t.like(answerTo('tools/call'), { resultType: 'task', taskId: jobId, status: 'working' })
  t.like(answerTo('tasks/get'), { resultType: 'complete', taskId: jobId, status: 'working' })
})

test('notifications of tasks are refused to a host that knows none', async (t) => {
  const { key } = await gateway.customer()
  const params = { notifications: { taskIds: ['a'] }, ...envelope(false) }
  const asked = { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params }
  const { code, out } = await piped([asked], { FARM_URL: url, FARM_API_KEY: key })
  t.is(code, 0)
  t.like(JSON.parse(out), { id: 1, error: { code: -32021 } })
})

test('a line that is no message is answered, like the next', async (t) => {
  const { key } = await gateway.customer()
  const env = { FARM_URL: url, FARM_API_KEY: key }
  const wrong = ['hello', '{"jsonrpc":', '[1]', '{"id":7}', '', '{"id":"a","method":3}']
  const { code, out, error } = await piped([...opening, ...wrong, calling('get_account')], env)
  t.is(code, 0)
  t.is(error, '')
  const answers = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  t.deepEqual(
    answers.filter((each) => each.error).map((each) => [each.id, each.error.code]),
    [
      [null, -32700],
      [null, -32700],
      [null, -32600],
      [7, -32600],
      ['a', -32600],
    ],
  )
  t.regex(answers.find((each) => each.error).error.message, /Got "hello"\. Send it as JSON/)
  t.regex(answers.find(({ id }) => id === 2).result.content[0].text, /Credits: 1000 available/)
})

const inherited = ['__proto__', 'constructor', 'toString']

test('errors of the protocol say what to do next on stdio', async (t) => {
  const { key } = await gateway.customer()
  const { _meta } = envelope(false)
  const asked = [
    { method: 'nope/x', params: { _meta } },
    { method: 'prompts/get', params: { name: 'nope', _meta } },
    { method: 'prompts/get', params: { name: 5, _meta } },
    { method: 'prompts/get', params: { name: 'promo', arguments: { subject: 5 }, _meta } },
    { method: 'tools/list', params: [1] },
    ...inherited.map((name) => ({ method: 'prompts/get', params: { name, _meta } })),
  ].map((each, id) => ({ jsonrpc: '2.0', id, ...each }))
  const { out } = await piped(asked, { FARM_URL: url, FARM_API_KEY: key })
  const answers = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const said = (id: number) => answers.find((each) => each.id === id)?.error
  t.like(said(0), { code: -32601 })
  t.regex(said(0).message, /Call tools\/list, prompts\/list or resources\/list to see/)
  for (const [at, name] of [[1, 'nope'], ...inherited.map((name, at) => [at + 5, name])] as const) {
    const { code, message } = said(Number(at))
    t.is(code, -32602)
    t.regex(message, /^not_found: The prompt must be one of promo, /)
    t.true(message.endsWith(`Got "${name}". Call prompts/list for their arguments.`), message)
  }
  for (const [id, words] of [
    [2, 'params.name must be a string. Got 5. Mend the parameters that are named here'],
    [3, 'params.arguments.subject must be a string. Got 5. Call prompts/list for its arguments.'],
    [4, 'params must be an object. Got [1]. Mend the parameters that are named here'],
  ] as const) {
    t.is(said(id).code, -32602)
    t.true(said(id).message.startsWith(`invalid_request: ${words}`), said(id).message)
  }
})

test('a wrong key is one clear tool error and no crash', async (t) => {
  const env = { FARM_URL: url, FARM_API_KEY: wrongKey }
  const { code, out } = await piped([...opening, calling('list_renders')], env)
  t.is(code, 0)
  const { result } = JSON.parse(out.trimEnd().split('\n').at(-1) ?? '')
  t.true(result.isError)
  t.regex(result.content[0].text, /^unauthorized: [\s\S]*set FARM_API_KEY to a valid key/)
})

for (const [what, set] of [
  ['revoked', { revoked_at: new Date() }],
  ['expired', { expires_at: new Date() }],
] as const) {
  test(`a call that waits ends when its key is ${what}`, async (t) => {
    const { key, post, accountId } = await gateway.customer()
    const { jobId } = (await post(renderPath, requestOf())).json()
    const client = new Client({ name: 'test-host', version: '1' })
    const env = { FARM_URL: url, FARM_API_KEY: key }
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: [program], env }),
    )
    const { promise: running, resolve: onprogress } = Promise.withResolvers<unknown>()
    const asked = { name: 'get_render', arguments: { id: jobId, wait: 50 } }
    const called = client.callTool(asked, { onprogress })
    await Promise.race([running, called])
    await gateway.db.updateTable('api_keys').set(set).where('account_id', '=', accountId).execute()
    const ended = await called
    t.true(ended.isError)
    t.regex(
      JSON.stringify(ended.content),
      /"unauthorized: .* not valid.*set FARM_API_KEY to a valid key of the account and to start the/,
    )
    const unread = await t.throwsAsync(client.readResource({ uri: `farm://render/${jobId}` }))
    t.regex(unread?.message ?? '', /unauthorized: [\s\S]*set FARM_API_KEY/)
    await client.close()
  })
}

test('a suspended account and a narrow key have own next steps', async (t) => {
  const { accountId } = await gateway.customer()
  const { key } = await createKey(gateway.db, { accountId, name: 'narrow', scopes: ['jobs'] })
  const env = { FARM_URL: url, FARM_API_KEY: key }
  const { out: narrow } = await piped([...opening, calling('list_templates')], env)
  t.regex(narrow, /scopes must include templates[^"]*Ask the person for an API key with that scope/)
  await suspendAccount(gateway.db, { accountId, isSuspended: true })
  const { out: suspended } = await piped([...opening, calling('get_account')], env)
  t.regex(suspended, /suspended[^"]*write to the operators of the farm/)
})

test('the program tells its variables and its version', async (t) => {
  const readme = readFileSync(join(dirname(program), 'README.md'), 'utf8')
  for (const asked of ['--help', '-h']) {
    const help = execFileSync(process.execPath, [program, asked], { env: {}, encoding: 'utf8' })
    const variables = help.match(/FARM_\w+/g)
    t.deepEqual(variables, ['FARM_URL', 'FARM_API_KEY', 'FARM_AGENT_PROFILE'])
    for (const each of variables ?? []) t.true(readme.includes(`| \`${each}\` |`), each)
  }
  const version = execFileSync(process.execPath, [program, '--version'], {
    ...{ env: {}, encoding: 'utf8' },
  })
  t.is(version, `${manifest.version}\n`)
})

test('unusable settings end the program with one sentence on stderr', async (t) => {
  for (const [env, expected] of [
    [{}, /FARM_URL must be the address of a farm\. Got nothing/],
    [{ FARM_URL: url }, /FARM_API_KEY must be svc_ and 64 hex digits\. Got nothing/],
    [{ FARM_URL: url, FARM_API_KEY: 'sk_1' }, /Got a text of 4 characters/],
    ...['/mcp', '/mcp/', '/farm/mcp?profile=creator'].map((path) => [
      { FARM_URL: `https://mcp${path}`, FARM_API_KEY: wrongKey },
      new RegExp(
        `FARM_URL must be the farm's address without /mcp\\. Got https://mcp${path.replace('?', '.')}\\.`,
      ),
    ]),
    [{ FARM_URL: 'ftp://x', FARM_API_KEY: wrongKey }, /url must be an http\(s\) address/],
    [
      { FARM_URL: url, FARM_API_KEY: wrongKey, FARM_AGENT_PROFILE: 'root' },
      /FARM_AGENT_PROFILE must be one of readonly, creator, automation, developer\. Got root/,
    ],
  ] as [Record<string, string>, RegExp][]) {
    const { code, out, error } = await piped([], env)
    t.is(code, 1)
    t.is(out, '')
    t.regex(error, expected)
    t.is(error.trimEnd().split('\n').length, 1)
  }
})
