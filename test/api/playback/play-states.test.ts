import { gunzipSync } from 'node:zlib'
import test from 'ava'
import type { KyselyPlugin } from 'kysely'
import { sql } from 'kysely'
import { signPlayLinks } from '../../../api/playback/play-links.ts'
import { zippedState } from '../../../api/playback/play-state.route.ts'
import { PlayStates } from '../../../api/playback/play-states.ts'
import { putArtifacts } from '../../../store/db/artifacts/put-artifacts.ts'
import { planKey } from '../../../store/objects/job-keys.ts'
import { addNode, addTask } from '../../store/database.ts'
import { film, renderPath, requestOf, startGateway } from '../gateway.ts'

const gateway = await startGateway()
test.after.always(() => gateway.stop())

const digestOf = (segment: number) => `${segment}`.repeat(64)

/** The part of a plan that a player's table of pieces is made from: three segments of two seconds. */
const plan = {
  timeline: { width: 320, height: 180, frameRate: 30 },
  audio: [],
  encoder: { encoder: 'libx264' },
  segments: [0, 1, 2].map((i) => ({ start: i * 60, frames: 60, fingerprint: digestOf(i) })),
}

async function submitted(payload: Record<string, unknown> = film) {
  const customer = await gateway.customer()
  const request = requestOf(payload)
  const reply = await customer.post(renderPath, request)
  if (reply.statusCode !== 202) throw new Error(reply.body)
  return { ...customer, jobId: request.jobId }
}

/** A job whose film is planned and of which the named segments are in the store. */
async function planned({ stored = [] as number[], format = 'mp4' } = {}) {
  const job = await submitted()
  const { accountId, jobId } = job
  await gateway.objects.put(planKey(job), Buffer.from(JSON.stringify(plan)))
  await sql`update jobs set state = 'rendering', stage = 'render', frames_total = 180,
    frames_painted = 180, film_format = ${format} where id = ${jobId}`.execute(gateway.db)
  const artifacts = stored.map((segment) => ({
    ...{ kind: 'segment' as const, digest: digestOf(segment), bytes: 1, facts: {} },
    objectKey: `accounts/${accountId}/segment-${segment}`,
  }))
  await putArtifacts(gateway.db, { accountId, artifacts })
  return job
}

function addressOf(jobId: string, now = new Date()): string {
  const links = { publicUrl: '', secret: gateway.secret }
  const { playlistUrl } = signPlayLinks(links, { jobId, filesExpireAt: null, now })
  return playlistUrl.replace('film.m3u8', 'state.json')
}

async function stateOf(jobId: string) {
  const reply = await gateway.server.inject(addressOf(jobId))
  if (reply.statusCode !== 200) throw new Error(reply.body)
  return reply.json()
}

test('the state lists the pieces that can be played by now', async (t) => {
  const { jobId } = await planned({ stored: [0, 2] })
  const { state, progress, problem, pieces } = await stateOf(jobId)
  t.deepEqual([state, progress, problem], ['rendering', 5, null])
  t.deepEqual(pieces, [
    { start: 0, seconds: 2, isThere: true },
    { start: 2, seconds: 2, isThere: false },
    { start: 4, seconds: 2, isThere: true },
  ])
})

test('segments that are alike are there as soon as one is written', async (t) => {
  const { jobId, ...job } = await planned()
  const segments = plan.segments.map((segment) => ({ ...segment, fingerprint: digestOf(7) }))
  const alike = JSON.stringify({ ...plan, segments })
  await gateway.objects.put(planKey({ ...job, jobId }), Buffer.from(alike))
  const task = await addTask(gateway.db, { ...job, jobId, outputs: ['segment-1'] })
  if (!task.live) throw new Error('The task must be new')
  const { taskId } = task
  const nodeId = await addNode(gateway.db)
  await sql`update tasks set state = 'leased', attempt = 1 where id = ${taskId}`.execute(gateway.db)
  await sql`
    insert into attempts (task_id, attempt, job_id, account_id, shape_id, node_id, node_class, pool,
      cost, written, expires_at)
    select id, 1, job_id, account_id, shape_id, ${nodeId}, '', '', cost, ${['segment-1']},
      now() + interval '1 minute' from tasks where id = ${taskId}`.execute(gateway.db)
  const { pieces } = await stateOf(jobId)
  t.deepEqual(
    pieces.map(({ isThere }: { isThere: boolean }) => isThere),
    [true, true, true],
  )
})

test('segments of another account do not count', async (t) => {
  await planned({ stored: [0, 1, 2] })
  const { jobId } = await planned()
  const { pieces } = await stateOf(jobId)
  t.true(pieces.every(({ isThere }: { isThere: boolean }) => !isThere))
})

test('a film that is not planned has a state without pieces', async (t) => {
  const { jobId } = await submitted({ ...film, name: 'A bold name' })
  const { name, state, problem, pieces } = await stateOf(jobId)
  t.deepEqual([name, state, problem, pieces], ['A bold name', 'queued', null, []])
})

test('each film that cannot be played says why in a sentence', async (t) => {
  const cancelled = await submitted()
  await cancelled.post(`/api/jobs/${cancelled.jobId}/cancel`)
  t.regex((await stateOf(cancelled.jobId)).problem, /job was cancelled\.$/)

  const failed = await planned()
  const error = { code: 'media_unreachable', message: 'The picture is gone', details: [] }
  await sql`update jobs set state = 'failed', finished_at = now(),
    error = ${JSON.stringify(error)}::jsonb where id = ${failed.jobId}`.execute(gateway.db)
  t.is((await stateOf(failed.jobId)).problem, 'The film was not rendered: The picture is gone.')

  const webm = await planned({ format: 'webm' })
  t.regex((await stateOf(webm.jobId)).problem, /This film is webm\.$/)

  const still = await submitted({ ...film, type: 'image', duration: undefined })
  t.is((await stateOf(still.jobId)).problem, 'A still has nothing to play.')

  const removed = await planned()
  await sql`update jobs set files_removed_at = now() where id = ${removed.jobId}`.execute(
    gateway.db,
  )
  t.regex((await stateOf(removed.jobId)).problem, /files were removed/)
})

test('an expired, a changed and another job’s address are refused', async (t) => {
  const { jobId } = await planned()
  const old = addressOf(jobId, new Date(Date.now() - 25 * 60 * 60_000))
  const expired = await gateway.server.inject(old)
  t.is(expired.statusCode, 403)
  t.regex(expired.json().message, /expired/)
  const changed = await gateway.server.inject(addressOf(jobId).replace(/.\/state/, '-/state'))
  t.is(changed.statusCode, 403)
  const other = await planned()
  const moved = addressOf(jobId).replace(jobId, other.jobId)
  t.is((await gateway.server.inject(moved)).statusCode, 403)
})

test('a hundred viewers of a film cost one query a second', async (t) => {
  const { jobId } = await planned({ stored: [1] })
  let queries = 0
  const count: KyselyPlugin = {
    transformQuery({ node }) {
      queries += 1
      return node
    },
    transformResult: async ({ result }) => result,
  }
  await gateway.context.playback.loadFilm(jobId)
  const states = new PlayStates(gateway.db.withPlugin(count), gateway.context.playback)
  const read = async () => {
    const all = await Promise.all(Array.from({ length: 100 }, () => states.read(jobId)))
    return all.every(({ pieces }) => pieces[1]?.isThere === true)
  }
  t.true(await read())
  t.is(queries, 1)
  t.true(await read())
  t.is(queries, 1)
  await new Promise((resolve) => setTimeout(resolve, 1_100))
  t.true(await read())
  t.is(queries, 2)
})

test('the state is zipped once a second where a browser takes it', async (t) => {
  const { jobId } = await planned({ stored: [1] })
  const url = addressOf(jobId)
  const ask = async (encodings: string) =>
    await gateway.server.inject({ url, headers: { 'accept-encoding': encodings } })
  const plain = await ask('gzip;q=0, br')
  t.is(plain.headers['content-encoding'], undefined)
  const [zipped, again] = await Promise.all([ask('br, gzip'), ask('deflate, gzip;q=0.5')])
  for (const { headers, rawPayload } of [zipped, again]) {
    t.is(headers['content-encoding'], 'gzip')
    t.is(headers['content-type'], plain.headers['content-type'])
    t.is(headers['content-length'], `${rawPayload.length}`)
    t.deepEqual(JSON.parse(String(gunzipSync(rawPayload))), plain.json())
  }
  for (const { headers } of [plain, zipped]) t.regex(String(headers.vary), /accept-encoding/)
  const state = await gateway.context.playStates.read(jobId)
  t.is(zippedState(state), zippedState(state))
})

test('the page is refused beside its address and loads nothing from elsewhere', async (t) => {
  const { jobId } = await planned()
  const page = addressOf(jobId).replace('/play/', '/watch/').replace('/state.json', '')
  const shown = await gateway.server.inject(page)
  t.is(shown.statusCode, 200)
  const policy = String(shown.headers['content-security-policy'])
  t.regex(policy, /default-src 'none'/)
  t.regex(policy, /media-src 'self' blob:/)
  t.notRegex(policy, /unsafe|https?:|\*/)
  t.is((await gateway.server.inject(`${page}0`)).statusCode, 403)
  const [, library = ''] = /data-library="\.\.\/(hls-[\d.]+\.js)"/.exec(shown.body) ?? []
  const plain = await gateway.server.inject(`/watch/${library}`)
  t.is(plain.headers['cache-control'], 'public, max-age=31536000, immutable')
  const url = `/watch/${library}`
  const zipped = await gateway.server.inject({ url, headers: { 'accept-encoding': 'gzip, br' } })
  t.is(zipped.headers['content-encoding'], 'gzip')
  t.true(zipped.rawPayload.length < plain.rawPayload.length / 2)
})
