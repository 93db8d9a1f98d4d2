import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, Connection } from '@temporalio/client'
import { startTemporal } from '../../../infra/local/temporal.ts'
import { bulkJobEndedSignal, bulkRenderId, renderJobId } from '../../../workflows/contract.ts'
import { mediaFiles } from '../../farm/film.ts'
import { type Farm, processesOf, startFarm } from '../../farm/running-farm.ts'
import { type Recorder, untilEnded } from './recorder.ts'

const patienceMs = 180_000
const pollMs = 50
/** More turns than a bulk's history has, though some meet in one. */
const manyTurns = 400

type Scene = {
  readonly farm: Farm
  readonly client: Client
  readonly media: Media
  readonly recorder: Recorder
}

/** Records a whole farm at work: real nodes, media that are late or missing, a role that dies. */
export async function recordFarm(recorder: Recorder): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'farm-test-'))
  const temporal = await startTemporal({ dataDir: folder })
  const media = await serveMedia()
  const env = { TEMPORAL_ADDRESS: temporal.address, FARM_TRUSTED_HOSTS: media.host }
  const connection = await Connection.connect({ address: temporal.address })
  try {
    const farm = await startFarm({ workers: 2, env })
    try {
      const scene = { farm, client: new Client({ connection }), media, recorder }
      await recordJobs(scene)
      await recordSharing(scene)
      await recordEnds(scene)
      await recordBulks(scene)
      await recordLongBulk(scene)
      await recordRestart(scene)
    } finally {
      await farm.stop()
    }
  } finally {
    await connection.close()
    media.stop()
    await temporal.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

const text = (html: string, more = {}) => ({ type: 'TEXT', html, ...more })

/** A film without two equal frames. */
const film = (name: string, seconds: number) => ({
  ...{ name, width: 1280, height: 720, frameRate: 25, duration: seconds },
  visuals: [text(`<b>${name}</b>`, { enterEnd: seconds, enterAnimation: 'slideleft' })],
})
const still = (...visuals: object[]) => ({ type: 'image', width: 320, height: 180, visuals })

async function recordJobs({ farm, client, media, recorder }: Scene): Promise<void> {
  const render = async (payload: object) => {
    const { id, state, error } = await farm.finished(await farm.submit(payload))
    if (state !== 'completed') throw new Error(JSON.stringify(error))
    return { workflowId: renderJobId(id) }
  }
  const sharded = await render(film('Sharded', 24))
  const holds = ['gather', 'bake-', 'render', 'assemble', 'settle', 'taskEnded']
  await recorder.record(client, 'render-job-film', { ...sharded, holds })

  const photo = { type: 'IMAGE', src: media.at('photo.png') }
  const audios = [{ src: media.at('sound.wav') }]
  const short = { ...film('Short', 2), width: 320, height: 180, audios }
  const small = await render({ ...short, visuals: [photo, ...short.visuals] })
  await recorder.record(client, 'render-job-one-shard', {
    ...small,
    holds: ['ingest-', 'taskEnded', '"whole\\":true'],
  })

  const card = still(text('Card'))
  const made = await render(card)
  await recorder.record(client, 'render-job-single-task', { ...made, holds: ['"name\\":\\"make'] })
  const again = await render(card)
  await recorder.record(client, 'render-job-kept-file', { ...again, holds: ['"settled\\":{'] })

  const subtitle = { src: media.at('film.srt'), animation: 'karaoke' }
  const captioned = await render({ ...film('Captions', 2), subtitle })
  await recorder.record(client, 'render-job-captions', {
    ...captioned,
    holds: ['bakeCaptions', '"unread\\":true'],
  })

  const told = { payload: still(text('Told')), webhookUrl: media.at('webhook') }
  await farm.call('POST', '/api/render/api-key', told)
  await until(() => media.hits.includes('webhook'), 'the webhook')
  await sleep(2_000)
  const [delivery] = await workflowsOf(client, 'webhookDelivery')
  await recorder.record(client, 'webhook-delivery-taken', {
    workflowId: delivery?.workflowId ?? '',
    holds: ['attempt', 'WORKFLOW_EXECUTION_COMPLETED'],
  })
}

async function recordSharing({ farm, client, recorder }: Scene): Promise<void> {
  const first = await farm.submit(film('Shared', 30))
  await farm.waitFor(first, ({ state }) => state === 'rendering')
  const second = await farm.submit(film('Shared', 30))
  for (const id of [first, second]) await farm.finished(id)
  await recorder.record(client, 'render-job-shared-segments', {
    workflowId: renderJobId(second),
    holds: ['shareSegments', 'areAwaited', 'TIMER_FIRED'],
  })
}

async function recordEnds({ farm, client, media, recorder }: Scene): Promise<void> {
  const lost = await farm.submit(still({ type: 'IMAGE', src: media.at('nowhere.png') }))
  await farm.finished(lost)
  await recorder.record(client, 'render-job-failed', {
    workflowId: renderJobId(lost),
    holds: ['media_', '"state\\":\\"failed', 'settle'],
  })

  const stopped = await farm.submit(film('Stopped', 60))
  await farm.waitFor(stopped, ({ state, frames }) => state === 'rendering' && frames.done > 0)
  await farm.call('POST', `/api/jobs/${stopped}/cancel`)
  await recorder.record(client, 'render-job-cancelled', {
    workflowId: renderJobId(stopped),
    holds: ['"state\\":\\"cancelled', 'settle'],
  })

  const src = media.at('held/cancelled.png')
  const held = await farm.submit(still({ type: 'IMAGE', src }))
  await until(() => media.hits.includes('held/cancelled.png'), 'the request for the held picture')
  await client.workflow.getHandle(renderJobId(held)).cancel()
  await untilEnded(client.workflow.getHandle(renderJobId(held)))
  media.release('held/cancelled.png')
  await recorder.record(client, 'render-job-cancelled-in-temporal', {
    workflowId: renderJobId(held),
    holds: ['WORKFLOW_EXECUTION_CANCEL_REQUESTED', 'settle'],
  })
}

async function recordBulks({ farm, client, media, recorder }: Scene): Promise<void> {
  const photo = { type: 'IMAGE', src: media.at('photo.png'), width: 80, height: 50 }
  const who = text('{{ who }}', { y: 80 })
  const many = Array.from({ length: 60 }, (_, n) => ({ variables: { who: `Guest ${n}` } }))
  const party = await submitBulk(farm, still(photo, who), many)
  await recorder.record(client, 'bulk-render', {
    workflowId: bulkRenderId(party.bulkId),
    holds: ['startNextOfBulk', 'bulkJobEnded'],
  })
  const groups = await groupsOf(client, party.bulkId)
  for (const [nth, workflowId] of groups.entries()) {
    const holds = ['runSteps', 'tasksEnded', '"endsBulk\\":']
    await recorder.record(client, `render-group-${nth + 1}`, { workflowId, holds })
  }

  const src = '{{ src }}'
  const item = (name: string) => ({ variables: { who: name, src: media.at(name) } })
  const names = ['photo.png', 'nowhere.png', 'held/item.png', 'held/other.png']
  const mixed = await submitBulk(farm, still({ ...photo, src }, who), names.map(item))
  await until(() => media.hits.includes('held/item.png'), 'the request for the held picture')
  await farm.call('POST', `/api/jobs/${mixed.jobIds[2]}/cancel`)
  await sleep(3_000)
  for (const name of names) media.release(name)
  await untilEnded(client.workflow.getHandle(bulkRenderId(mixed.bulkId)))
  const [group = ''] = await groupsOf(client, mixed.bulkId)
  await recorder.record(client, 'render-group-mixed-ends', {
    workflowId: group,
    holds: ['failed', 'cancelled', 'completed'].map((state) => `"state\\":\\"${state}`),
  })

  const names2 = ['held/bulk-1.png', 'held/bulk-2.png']
  const ended = await submitBulk(farm, still({ ...photo, src }, who), names2.map(item))
  await until(() => media.hits.includes('held/bulk-1.png'), 'the request for the held picture')
  await farm.call('POST', `/api/render/bulk/${ended.bulkId}/cancel`)
  await untilEnded(client.workflow.getHandle(bulkRenderId(ended.bulkId)))
  for (const name of names2) media.release(name)
  await recorder.record(client, 'bulk-render-cancelled', {
    workflowId: bulkRenderId(ended.bulkId),
    holds: ['startNextOfBulk'],
  })
  const [cancelled = ''] = await groupsOf(client, ended.bulkId)
  await recorder.record(client, 'render-group-cancelled', {
    workflowId: cancelled,
    holds: ['"state\\":\\"cancelled'],
  })
}

/** A bulk that runs until its workflow continues as new. */
async function recordLongBulk({ farm, client, media, recorder }: Scene): Promise<void> {
  const visuals = [{ type: 'IMAGE', src: media.at('held/long.png') }, text('{{ who }}')]
  const items = ['Ann', 'Bob'].map((who) => ({ variables: { who } }))
  const { bulkId } = await submitBulk(farm, still(...visuals), items)
  const workflowId = bulkRenderId(bulkId)
  await until(() => media.hits.includes('held/long.png'), 'the request for the held picture')
  const workflow = client.workflow.getHandle(workflowId)
  const { runId } = await workflow.describe()
  for (let turn = 0; turn < manyTurns; turn += 1) {
    await workflow.signal(bulkJobEndedSignal)
    await sleep(pollMs)
    if ((await workflow.describe()).runId !== runId) break
  }
  media.release('held/long.png')
  await recorder.record(client, 'bulk-render-continued-as-new', {
    ...{ workflowId, runId },
    holds: ['WORKFLOW_EXECUTION_CONTINUED_AS_NEW'],
  })
  await recorder.record(client, 'bulk-render-continued', { workflowId, holds: ['COMPLETED'] })
}

async function recordRestart({ farm, client, media, recorder }: Scene): Promise<void> {
  const name = 'held/restart.png'
  const id = await farm.submit(still({ type: 'IMAGE', src: media.at(name) }, text('Restart')))
  await until(() => media.hits.includes(name), 'the request for the held picture')
  for (const pid of await processesOf(farm, 'main.ts control')) process.kill(pid, 'SIGKILL')
  media.release(name)
  await farm.untilBack()
  await farm.finished(id)
  await recorder.record(client, 'render-job-restarted', {
    workflowId: renderJobId(id),
    holds: ['gather', 'taskEnded', 'settle'],
  })
}

async function submitBulk(farm: Farm, payload: object, items: readonly object[]) {
  const { status, body } = await farm.call('POST', '/api/render/bulk/api-key', { payload, items })
  if (status !== 202) throw new Error(JSON.stringify(body))
  return body as { bulkId: string; jobIds: string[] }
}

async function workflowsOf(client: Client, type: string) {
  const found = []
  for await (const each of client.workflow.list({ query: `WorkflowType = '${type}'` })) {
    found.push(each)
  }
  return found.toSorted((a, b) => a.startTime.getTime() - b.startTime.getTime())
}

/** Ids of the groups of a bulk, first ones first. */
async function groupsOf(client: Client, bulkId: string): Promise<readonly string[]> {
  // Visibility is a moment behind.
  await sleep(2_000)
  const ids: string[] = []
  for (const { workflowId } of await workflowsOf(client, 'renderGroup')) {
    const { events } = await client.workflow.getHandle(workflowId).fetchHistory()
    const input = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0]?.data
    if (Buffer.from(input ?? []).includes(bulkId)) ids.push(workflowId)
  }
  return ids
}

async function until(isIt: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = Date.now() + patienceMs
  while (!(await isIt())) {
    if (Date.now() > deadline) throw new Error(`It never came about: ${what}`)
    await sleep(pollMs)
  }
}

type Media = Awaited<ReturnType<typeof serveMedia>>

/** Serves pictures, a sound and captions on loopback; those below `held/` when they are released. */
async function serveMedia() {
  const files = await mediaFiles()
  const captions = '1\n00:00:00,000 --> 00:00:01,500\nA line of words\n'
  const photo = files['photo.png']
  const all: Record<string, Buffer | undefined> = { ...files, 'film.srt': Buffer.from(captions) }
  const hits: string[] = []
  const released = new Map<string, PromiseWithResolvers<void>>()
  const gate = (name: string) => {
    const found = released.get(name) ?? Promise.withResolvers<void>()
    released.set(name, found)
    return found
  }
  const server = createServer(async (request, reply) => {
    const name = (request.url ?? '/').slice(1)
    hits.push(name)
    if (name === 'webhook') return void reply.writeHead(200).end()
    if (name.startsWith('held/')) await gate(name).promise
    const file = name.startsWith('held/') ? photo : all[name]
    if (file) reply.writeHead(200).end(file)
    else reply.writeHead(404).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    ...{ host, hits },
    at: (name: string) => `http://${host}/${name}`,
    release: (name: string) => gate(name).resolve(),
    stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}
