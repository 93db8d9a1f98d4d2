import { Writable } from 'node:stream'
import test from 'ava'
import { type KyselyPlugin, sql } from 'kysely'
import { pino } from 'pino'
import { signPlayLinks } from '../../../api/playback/play-links.ts'
import { Playback } from '../../../api/playback/playback.ts'
import { planKey } from '../../../store/objects/job-keys.ts'
import { film, renderPath, requestOf, startGateway } from '../gateway.ts'

const gateway = await startGateway()
test.after.always(() => gateway.stop())

const count = 20

const plan = {
  timeline: { width: 320, height: 180, frameRate: 30 },
  audio: [],
  encoder: { encoder: 'libx264' },
  segments: Array.from({ length: count }, (_, i) => ({
    ...{ start: i * 60, frames: 60, fingerprint: `${i}`.padStart(64, '0') },
  })),
}

/** A film that renders, and of which nothing is there yet. */
async function rendering(): Promise<string> {
  const customer = await gateway.customer()
  const request = requestOf(film)
  await customer.post(renderPath, request)
  const { jobId } = request
  const key = planKey({ accountId: customer.accountId, jobId })
  await gateway.objects.put(key, Buffer.from(JSON.stringify(plan)))
  await sql`update jobs set state = 'rendering', stage = 'render', frames_total = ${count * 60},
    frames_painted = ${count * 60}, film_format = 'mp4' where id = ${jobId}`.execute(gateway.db)
  return jobId
}

test('a hundred waiting players cost one read and one stream of queries', async (t) => {
  const jobId = await rendering()
  let queries = 0
  const counted: KyselyPlugin = {
    transformQuery({ node }) {
      queries += 1
      return node
    },
    transformResult: async ({ result }) => result,
  }
  let reads = 0
  const read = async (key: string) => {
    reads += 1
    return await gateway.objects.read(key)
  }
  const readRange: typeof gateway.objects.readRange = (key, range) =>
    gateway.objects.readRange(key, range)
  let tell: (jobId: string) => void = () => {}
  const playback = new Playback({
    db: gateway.db.withPlugin(counted),
    objects: { read, readRange },
    changes: {
      tell: (onChange) => {
        tell = onChange
      },
      start: () => {},
    },
  })
  const { signal } = new AbortController()
  const players = Array.from({ length: 100 }, (_, i) => {
    const piece = { kind: 'piece', track: 'pictures', number: i % count } as const
    return playback.give(piece, { jobId, signal }).catch((error: Error) => error.message)
  })
  // A slow machine may look a second time meanwhile; twenty pieces apart would cost sixty queries.
  const quiet = async () => {
    for (let before = 0; before === 0 || before !== queries; ) {
      before = queries
      await new Promise((resolve) => setTimeout(resolve, 300))
    }
  }
  await quiet()
  t.true(queries < 20, `${queries} queries until all wait`)
  t.is(reads, 1, 'the plan is read once')
  queries = 0
  tell(jobId)
  await quiet()
  t.true(queries < 20, `${queries} queries for a change`)
  await sql`update jobs set state = 'cancelled', finished_at = now() where id = ${jobId}`.execute(
    gateway.db,
  )
  queries = 0
  tell(jobId)
  const answers = await Promise.all(players)
  t.true(answers.every((answer) => /its job is cancelled/.test(String(answer))))
  t.is(queries, 1)
})

test('a part not yet there is no failure in the log', async (t) => {
  const lines: string[] = []
  const stream = new Writable({
    write(line, _encoding, done) {
      lines.push(String(line))
      done()
    },
  })
  const { server, stop } = await gateway.startReplica({}, pino({ level: 'warn' }, stream))
  t.teardown(stop)
  const customer = await gateway.customer()
  const request = requestOf(film)
  await customer.post(renderPath, request)
  const { jobId } = request
  const links = { publicUrl: '', secret: gateway.secret }
  const { playlistUrl } = signPlayLinks(links, { jobId, filesExpireAt: null, now: new Date() })
  const reply = await server.inject(playlistUrl)
  t.is(reply.statusCode, 503)
  t.is(reply.headers['retry-after'], '1')
  t.is(reply.json().code, 'unavailable')
  t.deepEqual(lines, [])
})
