import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import {
  type Client,
  refreshAuthorization,
  type StoredOAuthTokens,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import test, { type ExecutionContext } from 'ava'
import sharp from 'sharp'
import { createAuthority } from '../../runtime/authority.ts'
import { newFolder } from '../cli/run-farm.ts'
import { type AgentHost, serveClientDocument, startAgentHost } from './agent-host.ts'
import { type AgentPerson, addPerson, type Connection } from './agent-person.ts'
import { mediaFiles } from './film.ts'
import { type Farm, processesOf, serveMedia, startFarm } from './running-farm.ts'

const run = promisify(execFile)
const raceOf = 20

let media: Awaited<ReturnType<typeof serveMedia>>
let document: Awaited<ReturnType<typeof serveClientDocument>>
let farm: Farm
let person: AgentPerson
let url: URL

test.before(async () => {
  media = await serveMedia(await mediaFiles())
  const authority = await createAuthority({ days: 1 })
  const authorityFile = join(newFolder(), 'authority.pem')
  await writeFile(authorityFile, authority.cert)
  document = await serveClientDocument(authority)
  farm = await startFarm({
    apart: true,
    env: {
      FARM_TRUSTED_HOSTS: [media.hosts, document.host].join(','),
      NODE_EXTRA_CA_CERTS: authorityFile,
    },
  })
  url = new URL(`${farm.url}/mcp`)
  const settings = await readFile(join(farm.data, 'operate.env'), 'utf8')
  person = await addPerson(farm, /^DATABASE_URL=(.*)$/m.exec(settings)?.[1] ?? '')
})
test.after.always(async () => {
  await person?.leave()
  await farm?.stop()
  await document?.close()
  media?.close()
})

/** Long enough that it renders for seconds after the api is back. */
const project = () => ({
  width: 1280,
  height: 720,
  scenes: [1, 2, 3, 4, 5, 6].map((n) => ({
    id: `s${n}`,
    duration: 8,
    visuals: [
      { type: 'IMAGE', src: media.at('photo.png'), resize: 'cover', zoom: { depth: 1 + n / 10 } },
      { type: 'TEXT', html: `<b>Scene ${n}</b>`, position: 'center-center' },
    ],
  })),
})

type Content = { readonly type: string; readonly text?: string; readonly data?: string }
type Progress = { readonly progress: number }
type Facts = { readonly id: string; readonly state: string; readonly url: string }

async function call(client: Client, name: string, args: object, options = {}) {
  const result = await client.callTool({ name, arguments: { ...args } }, options)
  const content = result.content as Content[]
  const text = content.map((each) => each.text ?? '').join('\n')
  if (result.isError) throw new Error(text)
  const facts = text.startsWith('{') ? JSON.parse(content[0]?.text ?? '') : undefined
  return { content, text, facts: facts as Facts }
}

const idIn = (text: string, prefix: string) =>
  new RegExp(`${prefix}_\\w{20}`).exec(text)?.[0] ?? `no ${prefix}_ id`

const balance = async () =>
  ((await farm.call('GET', '/api/credits/balance')).body as { balance: number }).balance

async function statusOf(token: string): Promise<number> {
  const reply = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  })
  await reply.text()
  return reply.status
}

/** Decodes a film to its end. */
async function probe(film: Buffer) {
  const path = join(farm.data, 'film.mp4')
  await writeFile(path, film)
  const entries = 'stream=width,height,nb_read_frames:format=duration'
  const args = ['-v', 'error', '-count_frames', '-show_entries', entries]
  const more = ['-select_streams', 'v', '-of', 'json', path]
  const { stdout, stderr: faults } = await run('ffprobe', [...args, ...more])
  const { streams, format } = JSON.parse(stdout)
  const { width, height, nb_read_frames: frames } = streams[0]
  const seconds = Math.round(Number(format.duration))
  return { width, height, frames: Number(frames), seconds, faults }
}

test.serial('a host renders once though the api is killed meanwhile', async (t) => {
  const caps = { renderCap: 200, totalCap: 500 }
  const host = await startAgentHost({ url, person: person.allow({ profile: 'Creator', ...caps }) })
  t.teardown(host.stop)
  const client = await host.connect()
  t.is((await client.listTools()).tools.length, 16)
  const before = await balance()
  const saved = await call(client, 'save_draft', { name: 'Scenes', project: project() })
  const draft = idIn(saved.text, 'prj')
  t.like((await call(client, 'check_project', { draft })).facts, { valid: true })
  await seeFrame(t, client, draft)
  const quoted = await call(client, 'quote_render', { draft })
  const quote = idIn(quoted.text, 'qt')
  const price = Number(/: (\d+) credits/.exec(quoted.text)?.[1])
  await refreshUnderRace(t, host)
  await renderUntilTheApiDies(t, client, quote)
  await farm.untilBack()

  const { url: film } = await renderAgain(t, await host.connect(), quote)
  t.deepEqual(await probe(Buffer.from(await (await fetch(film)).arrayBuffer())), {
    ...{ width: 1280, height: 720, frames: 1440, seconds: 48, faults: '' },
  })
  t.is(before - (await balance()), price)
  t.is((await farm.call('GET', '/api/jobs')).body.total, 1)
  const connection = await onlyConnection()
  t.like(connection, { clientName: 'Test host', clientDocument: null, profile: 'creator' })
  t.like(connection, { ...caps, creditsSpent: price })

  const token = String(host.memory.tokens?.access_token)
  t.is(await statusOf(token), 200)
  await person.disconnect(connection)
  t.is(await statusOf(token), 401)
  await t.throwsAsync(call(client, 'get_account', {}), { instanceOf: UnauthorizedError })
  t.deepEqual(await person.connections(), [])
})

async function seeFrame(t: ExecutionContext, client: Client, draft: string): Promise<void> {
  const { content } = await call(client, 'preview_project', { draft, times: [9], width: 320 })
  const picture = sharp(Buffer.from(content[0]?.data ?? '', 'base64'))
  // A frame of 320x180 with its time below, and 4 px around.
  t.like(await picture.metadata(), { format: 'jpeg', width: 328, height: 208 })
  t.true((await picture.stats()).entropy > 4)
}

/** Refreshes one token many times at once, as windows of one host do; keeps the successor. */
async function refreshUnderRace(t: ExecutionContext, { memory }: AgentHost): Promise<void> {
  const { client: clientInformation, tokens, discovered } = memory
  const { authorizationServerUrl = '', authorizationServerMetadata: metadata } = discovered ?? {}
  if (!metadata || !clientInformation) throw new Error('The host must be signed in')
  const refreshToken = String(tokens?.refresh_token)
  const won = await Promise.all(
    Array.from({ length: raceOf }, () =>
      refreshAuthorization(authorizationServerUrl, {
        ...{ metadata, clientInformation, refreshToken, resource: url },
      }),
    ),
  )
  const [successor, ...others] = new Set(won.map(({ refresh_token: token }) => token))
  t.deepEqual(others, [])
  t.not(successor, refreshToken)
  const statuses = await Promise.all(won.map(({ access_token: token }) => statusOf(token)))
  t.deepEqual(new Set(statuses), new Set([200]))
  memory.tokens = { ...tokens, ...won[0] } as StoredOAuthTokens
}

/** Renders until the third note of progress, at which the api is killed. */
async function renderUntilTheApiDies(t: ExecutionContext, client: Client, quote: string) {
  const notes: number[] = []
  let killed: Promise<void> | undefined
  // The SDK itself would wait for its time-out of a minute when a stream breaks.
  const broken = new AbortController()
  client.onerror = (error) => broken.abort(error)
  const onprogress = ({ progress }: Progress) => {
    notes.push(progress)
    if (notes.length === 3) killed = killApi()
  }
  await t.throwsAsync(call(client, 'render', { quote }, { signal: broken.signal, onprogress }))
  await killed
  t.true(notes.length >= 3 && Math.max(...notes) < 90, `${notes}`)
}

async function killApi(): Promise<void> {
  const [pid] = await processesOf(farm, 'main.ts api')
  if (pid === undefined) throw new Error('The api must run as a process of its own')
  process.kill(pid, 'SIGKILL')
}

/** Calls the render of a quote that is rendered already; answers its end. */
async function renderAgain(t: ExecutionContext, client: Client, quote: string): Promise<Facts> {
  const notes: number[] = []
  const onprogress = ({ progress }: Progress) => notes.push(progress)
  let { facts } = await call(client, 'render', { quote }, { onprogress })
  while (facts.state === 'rendering') {
    facts = (await call(client, 'get_render', { id: facts.id, wait: 50 })).facts
  }
  t.is(facts.state, 'completed')
  t.true(notes.length > 0)
  return facts
}

async function onlyConnection(): Promise<Connection> {
  const [connection, ...others] = await person.connections()
  if (!connection || others.length > 0) throw new Error('One agent must be connected')
  return connection
}

test.serial('a host with a metadata document signs in without registering', async (t) => {
  const host = await startAgentHost({
    ...{ url, era: 'legacy', document: document.url },
    person: person.allow({ profile: 'Readonly' }),
  })
  t.teardown(host.stop)
  const client = await host.connect()
  t.true(document.hits() >= 1)
  t.is(host.memory.client?.client_id, document.url)
  t.is((await client.listTools()).tools.length, 7)
  t.regex((await call(client, 'get_account', {})).text, /profile readonly/)
  const connection = await onlyConnection()
  t.like(connection, { clientDocument: document.url, profile: 'readonly' })
  await refreshUnderRace(t, host)
  t.is((await client.listTools()).tools.length, 7)
  await person.disconnect(connection)
  await t.throwsAsync(call(client, 'get_account', {}), { instanceOf: UnauthorizedError })
})
