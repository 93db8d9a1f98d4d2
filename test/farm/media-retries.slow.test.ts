import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test from 'ava'
import { mediaFiles } from './film.ts'
import { startFarm } from './running-farm.ts'

/** The first part of the path selects the origin's behaviour; `asked` counts by path. */
const picture = (await mediaFiles())['photo.png']
const captions = Buffer.from('1\n00:00:00,000 --> 00:00:01,000\nHello\n')
const asked = new Map<string, number[]>()
/** False during a deployment, when everything under /deployed is 503. */
let isBack = false

const origin = createServer((request, reply) => {
  const path = request.url ?? ''
  const times = [...(asked.get(path) ?? []), Date.now()]
  asked.set(path, times)
  const [, kind, status] = path.split('/')
  const send = () => reply.writeHead(200).end(path.endsWith('.srt') ? captions : picture)
  if (kind === 'certain') return reply.writeHead(Number(status)).end()
  if (kind === 'once' && times.length > 1) return send()
  if (kind === 'once' && status === 'reset') return request.socket.resetAndDestroy()
  if (kind === 'once') return reply.writeHead(Number(status), { 'retry-after': '3' }).end()
  if (isBack) return send()
  return reply.writeHead(503).end()
})
await new Promise<void>((done) => origin.listen(0, '127.0.0.1', done))
const host = `127.0.0.1:${(origin.address() as AddressInfo).port}`
const at = (path: string) => `http://${host}${path}`
const farm = await startFarm({ workers: 2, env: { FARM_TRUSTED_HOSTS: host } })
test.after.always(async () => {
  await farm.stop()
  origin.close()
})

const still = (src: string) => ({
  ...{ type: 'image', width: 64, height: 64 },
  visuals: [{ type: 'IMAGE', src }],
})
const timesOf = (path: string) => asked.get(path)?.length

test('a permanent status is not retried and fails the job', async (t) => {
  await Promise.all(
    [401, 403, 404, 410, 451].map(async (status) => {
      const path = `/certain/${status}/a.png`
      const job = await farm.finished(await farm.submit(still(at(path))))
      t.is(job.error?.code, 'media_unreachable')
      t.regex(job.failedReason ?? '', new RegExp(`Got ${status}\\.$`))
      t.is(timesOf(path), 1)
    }),
  )
})

test('an origin that hiccups once fails no job: pictures, thumbnails, subtitles', async (t) => {
  const film = {
    ...{ duration: 1, width: 64, height: 64, frameRate: 5 },
    thumbnail: at('/once/500/thumbnail.png'),
    subtitle: { src: at('/once/502/captions.srt') },
    visuals: [{ type: 'IMAGE', src: at('/once/503/a.png') }],
  }
  const stills = ['/once/429/a.png', '/once/reset/a.png'].map((path) => still(at(path)))
  const ids = await Promise.all([film, ...stills].map((each) => farm.submit(each)))
  for (const id of ids) {
    const job = await farm.finished(id)
    t.is(job.state, 'completed', JSON.stringify(job.error))
  }
  for (const path of ['/once/500/thumbnail.png', '/once/502/captions.srt', '/once/503/a.png']) {
    t.is(timesOf(path), 2, path)
    const [first = 0, second = 0] = asked.get(path) ?? []
    t.true(second - first >= 3_000, 'Retry-After is heeded')
  }
})

test('a bulk whose origin is being deployed comes through', async (t) => {
  const items = Array.from({ length: 30 }, (_, n) => ({ variables: { n: String(n) } }))
  const payload = still('{{ src }}')
  const { body } = await farm.call('POST', '/api/render/bulk/api-key', {
    payload,
    items: items.map(({ variables: { n } }) => ({ variables: { src: at(`/deployed/${n}.png`) } })),
  })
  const ids = body.jobIds as string[]
  t.is(ids.length, items.length, JSON.stringify(body))
  // Ends when a third try has failed: after five seconds and more.
  while (!items.some((_, n) => (timesOf(`/deployed/${n}.png`) ?? 0) >= 3)) {
    await new Promise((done) => setTimeout(done, 50))
  }
  isBack = true
  for (const id of ids) {
    const job = await farm.finished(id)
    t.is(job.state, 'completed', JSON.stringify(job.error))
  }
})
