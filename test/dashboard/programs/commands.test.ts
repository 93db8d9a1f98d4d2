import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import type { Command as Cli } from 'commander'
import { operations } from '../../../api/openapi/operations.ts'
import { createProgram } from '../../../cli/program.ts'
import { type Action, type ActionName, actions } from '../../../dashboard/src/commands/actions.ts'
import { textsOf } from '../../../dashboard/src/commands/texts.ts'

/** Acts of the pages as commands: each is an operation of the interface and a command of the CLI. */

const all: readonly (readonly [string, Action])[] = Object.entries(actions)
const where = { origin: 'https://farm.example.com', isOperator: false }

test('every curl names an operation of the interface', (t) => {
  t.deepEqual(
    all.filter(([, { route }]) => !(route in operations)).map(([name]) => name),
    [],
  )
})

/** Makes every command parse its words and do nothing. */
function harmless(command: Cli): Cli {
  if (command.commands.length === 0 || command.registeredArguments.length > 0)
    command.action(() => undefined)
  command.configureOutput({ writeErr: () => undefined })
  for (const each of command.commands) harmless(each)
  return command
}

const ids: Readonly<Record<string, string>> = {
  jobs: '00000000-0000-4000-8000-000000000001',
  bulk: `blk_${'0'.repeat(20)}`,
}

async function parse(line: string): Promise<void> {
  const [first, ...words] = line.split(' ').map((word) => word.replaceAll("'", ''))
  const argv = words.map((word) => word.replace('{id}', ids[words[0] ?? ''] ?? ''))
  if (first !== 'farm') throw new Error(`${line} must begin with farm`)
  await harmless(createProgram()).parseAsync(argv, { from: 'user' })
}

test('every farm line is a command with options that exist', async (t) => {
  const lines = all.flatMap(([, { farm, operator }]) => [farm, operator].filter((it) => it))
  t.true(lines.length > 8)
  for (const line of lines) await t.notThrowsAsync(parse(String(line)), line)
  await t.throwsAsync(parse('farm bulk retry {id} --none'))
  await t.throwsAsync(parse('farm templates list'))
})

test('every act has a command, or is a call of its operation', async (t) => {
  for (const name of Object.keys(actions) as ActionName[]) {
    const [curl, farm, ...more] = textsOf({ action: name, id: ids.bulk ?? '' }, where)
    t.deepEqual([curl?.kind, farm?.kind, more], ['curl', 'farm', []], name)
    const line = (farm?.text ?? '').replaceAll(/ \\\n +/g, ' ')
    await t.notThrowsAsync(parse(line), line)
    const { farm: own, route }: Action = actions[name]
    t.is(line.startsWith('farm call'), own === undefined, line)
    if (own === undefined) t.true(line.startsWith(`farm call ${route.split('{')[0]}`), line)
  }
})

test('operators’ commands are shown to operators alone', (t) => {
  const command = { action: 'cancelJob', id: 'x' } as const
  t.is(textsOf(command, where)[1]?.text, 'farm call POST /api/jobs/x/cancel')
  t.regex(textsOf(command, { ...where, isOperator: true })[1]?.text ?? '', /^farm jobs cancel x /)
})

const run = promisify(execFile)

test('the command writes the very project, whatever its words', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'command-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const project = { name: "it's $HOME `id` \\ END_OF_PROJECT", duration: 1 }
  const [, farm] = textsOf({ action: 'render', project }, where)
  await run('sh', ['-c', (farm?.text ?? '').replace('farm render', 'true')], { cwd: folder })
  t.deepEqual(JSON.parse(readFileSync(join(folder, 'project.json'), 'utf8')), project)
})

test('a shell sends what a curl text says, quotes and all', async (t) => {
  const seen: { method: string; url: string; key: unknown; body: string }[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { method = '', url = '', headers } = request
    seen.push({ method, url, key: headers['x-api-key'], body: Buffer.concat(chunks).toString() })
    const [, job] = /^\/api\/jobs\/(.)$/.exec(url) ?? []
    const answer = job ? `{"downloadUrl":"${origin}/files/${job}.mp4"}` : '{}'
    response.end(url === '/content' ? '{"name":"it’s %s"}' : answer)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const folder = mkdtempSync(join(tmpdir(), 'command-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const sent = async (command: Parameters<typeof textsOf>[0]) => {
    const [curl] = textsOf(command, { origin, isOperator: false })
    const env = { ...process.env, FARM_API_KEY: 'svc_1' }
    await run('sh', ['-c', curl?.text ?? ''], { env, cwd: folder })
    return seen.splice(0)
  }
  const body = { payload: { name: 'it’s "a" $HOME \\ \'film\'' } }
  t.deepEqual(await sent({ action: 'render', body }), [
    { method: 'POST', url: '/api/render/api-key', key: 'svc_1', body: JSON.stringify(body) },
  ])
  t.deepEqual(await sent({ action: 'listJobs', query: { state: 'failed', search: "a'b c" } }), [
    { method: 'GET', url: '/api/jobs?state=failed&search=a%27b+c', key: 'svc_1', body: '' },
  ])
  const loop = await sent({ action: 'cancelJob', ids: ['a', 'b'] })
  t.deepEqual(
    loop.map(({ method, url }) => `${method} ${url}`),
    ['POST /api/jobs/a/cancel', 'POST /api/jobs/b/cancel'],
  )
  const saved = await sent({ action: 'downloadJob', ids: ['a', 'b'] })
  t.deepEqual(
    saved.map(({ url }) => url),
    ['/api/jobs/a', '/files/a.mp4', '/api/jobs/b', '/files/b.mp4'],
  )
  t.deepEqual(readdirSync(folder), ['a.mp4', 'b.mp4'])
  const [asked, posted] = await sent({ action: 'renderExample', payloadAt: '/content' })
  t.is(asked?.url, '/content')
  t.is(posted?.body, '{"payload":{"name":"it’s %s"}}')
})
