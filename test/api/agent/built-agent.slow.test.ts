import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import test from 'ava'
import { buildAgent } from '../../../infra/client/build-agent.ts'
import { startGateway } from '../gateway.ts'
import { listen } from './host.ts'

const packages = join(import.meta.dirname, '..', '..', '..', 'node_modules')

/** The oldest node of this machine that a range like `>=20.3` admits. */
function oldestNode(range: string): string {
  const least = partsOf(range.replace(/^>=/, ''))
  const found = [process.execPath, ...nodesOnPath()].map((program) => ({
    program,
    version: partsOf(execFileSync(program, ['--version'], { encoding: 'utf8' }).slice(1)),
  }))
  const [oldest] = found
    .filter(({ version }) => compare(version, least) >= 0)
    .toSorted((a, b) => compare(a.version, b.version))
  if (!oldest) throw new Error(`A node of ${range} must be here`)
  return oldest.program
}

function nodesOnPath(): readonly string[] {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return folders.map((folder) => join(folder, 'node')).filter((program) => existsSync(program))
}

function partsOf(version: string): readonly number[] {
  return version.trim().split('.').map(Number)
}

function compare(a: readonly number[], b: readonly number[]): number {
  const differing = a.findIndex((part, i) => part !== (b[i] ?? 0))
  return differing === -1 ? 0 : (a[differing] ?? 0) - (b[differing] ?? 0)
}

/** Functions that Node 20 lacks and the compiler lets pass: its types are those of our own Node. */
const newer =
  /\b(?:Promise\.(?:withResolvers|try)|URL\.parse\(|(?:Object|Map)\.groupBy|Array\.fromAsync|RegExp\.escape|import\.meta\.(?:dirname|filename)|Symbol\.(?:asyncD|d)ispose|process\.getBuiltinModule)\b/

test('the built package keeps to the Node that it names', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'farm-test-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  buildAgent(folder)
  const { engines } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  t.is(engines.node, '>=20.3')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.js'),
  )
  t.true(files.length > 50, `${files.length}`)
  for (const name of files) {
    t.is(newer.exec(readFileSync(join(folder, name), 'utf8'))?.[0], undefined, name)
  }
})

test('the built package serves the tools on the oldest Node', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'farm-test-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  buildAgent(folder)
  const { bin, dependencies, engines, version } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  )
  for (const name of Object.keys(dependencies)) {
    await mkdir(join(folder, 'node_modules', name, '..'), { recursive: true })
    symlinkSync(join(packages, name), join(folder, 'node_modules', name))
  }
  const gateway = await startGateway()
  t.teardown(() => gateway.stop())
  const { origin } = await listen(gateway)
  const { key } = await gateway.customer()
  const program = join(folder, bin['farm-agent'])
  const node = oldestNode(engines.node)
  t.log(`on ${node}`)
  execFileSync(node, ['--check', program])
  const told = execFileSync(node, [program, '--version'], { encoding: 'utf8' })
  t.is(told, `${version}\n`)
  const client = new Client({ name: 'test-host', version: '1' })
  const env = { FARM_URL: origin, FARM_API_KEY: key }
  await client.connect(new StdioClientTransport({ command: node, args: [program], env }))
  t.is((await client.listTools()).tools.length, 16)
  const { content } = await client.callTool({ name: 'get_account', arguments: {} })
  t.regex(JSON.stringify(content), /1000 available/)
  await client.close()
})

/** Environment of a person who has nothing but node and npm, and reaches the same registry. */
function strangersEnv(home: string): Record<string, string> {
  const { PATH = '', NODE_EXTRA_CA_CERTS: certificates } = process.env
  const registry = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim()
  return {
    ...{ HOME: home, npm_config_registry: registry, npm_config_update_notifier: 'false' },
    PATH: [dirname(process.execPath), PATH].join(delimiter),
    ...(certificates !== undefined && { NODE_EXTRA_CA_CERTS: certificates }),
  }
}

test('npm installs the packed package, which then speaks over stdio', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'farm-test-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const [built, place, home] = ['built', 'place', 'home'].map((name) => join(folder, name))
  buildAgent(String(built))
  for (const each of [place, home]) await mkdir(String(each))
  const env = strangersEnv(String(home))
  const npm = (...args: readonly string[]) =>
    execFileSync('npm', args, { cwd: String(place), env, encoding: 'utf8' })
  const [{ filename, files }] = JSON.parse(
    npm('pack', '--json', '--pack-destination', folder, String(built)),
  )
  t.true(files.some(({ path }: { path: string }) => path === 'README.md'))
  npm('install', '--no-audit', '--no-fund', join(folder, String(filename)))

  const gateway = await startGateway()
  t.teardown(() => gateway.stop())
  const { origin } = await listen(gateway)
  const { key } = await gateway.customer()
  const opening = {
    ...{ protocolVersion: '2025-06-18', capabilities: {} },
    clientInfo: { name: 'pipe', version: '1' },
  }
  const messages = [
    { jsonrpc: '2.0', id: 1, method: 'initialize', params: opening },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 2, method: 'tools/list' },
    { jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'get_account', arguments: {} } },
  ]
  const child = spawn(join(String(place), 'node_modules', '.bin', 'farm-agent'), {
    env: { ...env, FARM_URL: origin, FARM_API_KEY: key },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin.end(messages.map((each) => `${JSON.stringify(each)}\n`).join(''))
  const answers = (await text(child.stdout))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const answerTo = (id: number) => answers.find((each) => each.id === id)?.result
  t.is(answers.length, 3)
  t.is(answerTo(1).protocolVersion, '2025-06-18')
  t.is(answerTo(2).tools.length, 16)
  t.regex(answerTo(3).content[0].text, /1000 available/)
})
