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
import test from 'ava'
import sharp from 'sharp'
import { createAuthority } from '../../cli/certs/authority.ts'
import { newFolder } from '../cli/run-farm.ts'
import { type AgentHost, serveClientDocument, startAgentHost } from './agent-host.ts'
import { type AgentPerson, addPerson } from './agent-person.ts'
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
type Facts = { readonly id: string; readonly state: string; readonly url: string }

async function call(client: Client, name: string, args: object, options = {}) {
  const result = await client.callTool({ name, arguments: { ...args } }, options)
  const content = result.content as Content[]
  const text = content.map((each) => each.text ?? '').join('\n')
  if (result.isError) throw new Error(text)
  return { content, text, facts: result.structuredContent as unknown as Facts }
}

const idIn = (text: string, prefix: string) =>
  new RegExp(`${prefix}_\\w{20}`).exec(text)?.[0] ?? `no ${prefix}_ id`

const balance = async () =>
  ((await farm.call('GET', '/api/credits/balance')).body as { balance: number }).balance

/** Sends the refresh token many times at once, as windows of one host do. */
async function race({ memory }: AgentHost) {
  const { client: clientInformation, tokens, discovered } = memory
  const { authorizationServerUrl = '', authorizationServerMetadata: metadata } = discovered ?? {}
  if (!metadata || !clientInformation) throw new Error('The host must be signed in')
  const refreshToken = String(tokens?.refresh_token)
  return await Promise.all(
    Array.from({ length: raceOf }, () =>
      refreshAuthorization(authorizationServerUrl, {
        ...{ metadata, clientInformation, refreshToken, resource: url },
      }),
    ),
  )
}

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

async function probe(film: Buffer) {
  const path = join(farm.data, 'film.mp4')
  await writeFile(path, film)
  const entries = 'stream=codec_type,width,height,nb_read_frames:format=duration'
  const args = ['-v', 'error', '-count_frames', '-show_entries', entries, '-of', 'json', path]
  return JSON.parse((await run('ffprobe', args)).stdout)
}

test.serial('a host renders once though the api is killed meanwhile', async (t) => {
  const caps = { renderCap: 200, totalCap: 500 }
  const host = await startAgentHost({ url, person: person.allow({ profile: 'Creator', ...caps }) })
  t.teardown(host.stop)
  let client = await host.connect()
  const tools = (await client.listTools()).tools.map(({ name }) => name)
  t.is(tools.length, 16)
  const before = await balance()
  const draft = idIn(
    (await call(client, 'save_draft', { name: 'Scenes', project: project() })).text,
    'prj',
  )
  t.like((await call(client, 'check_project', { draft })).facts, { valid: true })

  const preview = await call(client, 'preview_project', { draft, times: [9], width: 320 })
  const picture = sharp(Buffer.from(preview.content[0]?.data ?? '', 'base64'))
  t.like(await picture.metadata(), { format: 'jpeg', width: 328, height: 208 })
  t.true((await picture.stats()).entropy > 4)

  const quoted = await call(client, 'quote_render', { draft })
  const quote = idIn(quoted.text, 'qt')
  const price = Number(/: (\d+) credits/.exec(quoted.text)?.[1])

  const won = await race(host)
  t.is(new Set(won.map(({ refresh_token: token }) => token)).size, 1)
  const accepted = await Promise.all(won.map(({ access_token: token }) => statusOf(token)))
  t.deepEqual(new Set(accepted), new Set([200]))
  host.memory.tokens = { ...host.memory.tokens, ...won[0] } as StoredOAuthTokens

  const notes: number[] = []
  let killed: Promise<void> | undefined
  // The SDK itself would wait for its time-out of a minute when a stream breaks.
  const broken = new AbortController()
  client.onerror = (error) => broken.abort(error)
  const watching = call(
    client,
    'render',
    { quote },
    {
      signal: broken.signal,
      onprogress({ progress }: { progress: number }) {
        notes.push(progress)
        if (notes.length >= 3) killed ??= killApi()
      },
    },
  )
  await t.throwsAsync(watching)
  t.true(notes.length >= 3 && Math.max(...notes) < 90, `${notes}`)
  await killed
  await farm.untilBack()

  client = await host.connect()
  const later: number[] = []
  const onprogress = ({ progress }: { progress: number }) => later.push(progress)
  let { facts } = await call(client, 'render', { quote }, { onprogress })
  while (facts.state === 'rendering') {
    facts = (await call(client, 'get_render', { id: facts.id, wait: 50 })).facts
  }
  t.like(facts, { state: 'completed' })
  t.true(later.length >= 1, `${later}`)
  const film = Buffer.from(await (await fetch(facts.url)).arrayBuffer())
  const { streams, format } = await probe(film)
  t.like(streams[0], {
    codec_type: 'video',
    width: 1280,
    height: 720,
    nb_read_frames: '1440',
  })
  t.is(Math.round(Number(format.duration)), 48)

  t.is(before - (await balance()), price)
  const { body } = await farm.call('GET', '/api/jobs')
  t.is(body.total, 1)
  const [connection] = await person.connections()
  if (!connection) throw new Error('The agent must be listed')
  t.like(connection, { clientName: 'Test host', clientDocument: null, profile: 'creator' })
  t.like(connection, { ...caps, creditsSpent: price })

  const token = String(host.memory.tokens?.access_token)
  t.is(await statusOf(token), 200)
  await person.disconnect(connection)
  t.is(await statusOf(token), 401)
  await t.throwsAsync(client.listTools(), { instanceOf: UnauthorizedError })
  t.deepEqual(await person.connections(), [])
})

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
  const [connection] = await person.connections()
  if (!connection) throw new Error('The agent must be listed')
  t.like(connection, { clientDocument: document.url, profile: 'readonly' })
  const won = await race(host)
  t.is(new Set(won.map(({ refresh_token: token }) => token)).size, 1)
  host.memory.tokens = { ...host.memory.tokens, ...won[0] } as StoredOAuthTokens
  t.is((await client.listTools()).tools.length, 7)
  await person.disconnect(connection)
  await t.throwsAsync(client.listTools(), { instanceOf: UnauthorizedError })
})

async function killApi(): Promise<void> {
  const [pid] = await processesOf(farm, 'main.ts api')
  if (pid === undefined) throw new Error('The api must run as a process of its own')
  process.kill(pid, 'SIGKILL')
}
