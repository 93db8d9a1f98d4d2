import test from 'ava'
import { signPlayLinks } from '../../../api/playback/play-links.ts'
import type { FilmFormat } from '../../../core/plan/formats.ts'
import { settleJob } from '../../../store/db/jobs/settle-jobs.ts'
import { planKey } from '../../../store/objects/job-keys.ts'
import { removeExpired } from '../../../workflows/janitor/retention.ts'
import { enterStage } from '../../store/db/jobs/one-job.ts'
import { type Gateway, renderPath, requestOf, startGateway } from '../gateway.ts'

let gateway: Gateway

test.before(async () => {
  gateway = await startGateway()
})
test.after.always(() => gateway?.stop())

/** Three seconds that no node has begun to render. */
const plan = {
  timeline: { width: 320, height: 180, frameRate: 30 },
  audio: [],
  encoder: { encoder: 'libx264' },
  segments: [0, 1, 2].map((i) => ({ start: i * 30, frames: 30, fingerprint: `${i}`.repeat(64) })),
}

/** A customer's job whose film is planned, or not yet. */
async function jobOf({ format }: { format?: FilmFormat } = {}) {
  const customer = await gateway.customer()
  const { jobId } = (await customer.post(renderPath, requestOf())).json()
  const job = { accountId: customer.accountId, jobId }
  if (format) {
    const frames = { total: 60, reused: 0, painted: 60 }
    await enterStage(gateway.db, { ...job, stage: 'resolve' })
    await enterStage(gateway.db, { ...job, stage: 'plan', frames, format })
  }
  const shown = async () => (await customer.get(`/api/jobs/${jobId}`)).json()
  return { ...job, shown }
}

async function play(playlistUrl: string, file = 'film.m3u8') {
  const { pathname } = new URL(playlistUrl.replace('film.m3u8', file))
  return await gateway.server.inject({ url: pathname })
}

test('a job names its playlist when its film is planned', async (t) => {
  const before = await (await jobOf()).shown()
  t.is(before.playlistUrl, null)
  t.is(before.noPlaylistReason, null)
  const { jobId, shown } = await jobOf({ format: 'mp4' })
  const { playlistUrl, noPlaylistReason } = await shown()
  t.true(playlistUrl.startsWith(`https://farm.example.com/play/${jobId}/`))
  t.is(noPlaylistReason, null)
})

test('a mov film has a playlist as an mp4 film has', async (t) => {
  const { shown, ...job } = await jobOf({ format: 'mov' })
  await gateway.objects.put(planKey(job), Buffer.from(JSON.stringify(plan)))
  const { playlistUrl, noPlaylistReason } = await shown()
  t.is(noPlaylistReason, null)
  const film = await play(playlistUrl)
  t.is(film.statusCode, 200)
  t.is(film.headers['content-type'], 'application/vnd.apple.mpegurl')
  t.regex(film.body, /CODECS="avc1\.64000d"\npictures\.m3u8\n$/)
  const pictures = await play(playlistUrl, 'pictures.m3u8')
  t.regex(pictures.body, /pictures-2\.m4s\n#EXT-X-ENDLIST\n$/)
})

test('pieces beyond the end and a silent film’s sound are absent', async (t) => {
  const { shown, ...job } = await jobOf({ format: 'mp4' })
  await gateway.objects.put(planKey(job), Buffer.from(JSON.stringify(plan)))
  const { playlistUrl } = await shown()
  for (const number of [3, 4, 999_999]) {
    const reply = await play(playlistUrl, `pictures-${number}.m4s`)
    t.is(reply.statusCode, 404)
    t.is(reply.json().detail, `The film has 3 pieces, from 0. Got ${number}.`)
  }
  for (const file of ['sound.m3u8', 'sound-init.mp4', 'sound-0.m4s']) {
    t.is((await play(playlistUrl, file)).statusCode, 404)
  }
})

test('a film whose files were removed is absent, as its job says', async (t) => {
  const { shown, ...job } = await jobOf({ format: 'mp4' })
  const { playlistUrl } = await shown()
  await gateway.objects.put(planKey(job), Buffer.from(JSON.stringify(plan)))
  const { jobId } = job
  await gateway.db
    .updateTable('jobs')
    .set({
      state: 'completed',
      finished_at: new Date(),
      output_key: 'gone',
      files_expire_at: new Date(0),
    })
    .where('id', '=', jobId)
    .execute()
  await removeExpired(gateway)
  for (const file of ['film.m3u8', 'pictures.m3u8', 'pictures-init.mp4', 'pictures-0.m4s']) {
    const reply = await play(playlistUrl, file)
    t.is(reply.statusCode, 404, file)
    t.is(reply.json().detail, 'The film’s files were removed. Render it again.')
  }
  t.like(await shown(), { playlistUrl: null, noPlaylistReason: 'The files were removed.' })
})

test('a film of another format says why it has no playlist', async (t) => {
  const { shown } = await jobOf({ format: 'webm' })
  const { playlistUrl, noPlaylistReason } = await shown()
  t.is(playlistUrl, null)
  t.regex(noPlaylistReason, /mp4 and mov.*webm/)
})

test('each address that cannot be played has an answer of its own', async (t) => {
  const { jobId, shown } = await jobOf({ format: 'mp4' })
  const { playlistUrl } = await shown()
  const early = await play(playlistUrl)
  t.is(early.statusCode, 503, 'its plan is not written yet')
  t.is(early.headers['retry-after'], '1')
  t.is((await play(playlistUrl, 'other.ts')).statusCode, 404)
  t.is((await play(playlistUrl.replace(/-\w{32}/, `-${'0'.repeat(32)}`))).statusCode, 403)
  const { playLinks } = gateway.context
  const now = new Date(Date.now() - 48 * 3_600_000)
  const old = signPlayLinks(playLinks, { jobId, filesExpireAt: null, now })
  const expired = await play(old.playlistUrl)
  t.is(expired.statusCode, 403)
  t.regex(expired.json().detail, /expired/)
  const another = await jobOf({ format: 'mp4' })
  const moved = playlistUrl.replace(jobId, another.jobId)
  t.is((await play(moved)).statusCode, 403)
})

test('the film of a failed job answers with its failure', async (t) => {
  const { shown, ...job } = await jobOf({ format: 'mp4' })
  const { playlistUrl } = await shown()
  const error = { code: 'media_invalid' as const, message: 'The clip is damaged.', details: [] }
  await settleJob(gateway.db, { ...job, reason: 'test', settlement: { to: 'failed', error } })
  const reply = await play(playlistUrl)
  t.is(reply.statusCode, 409)
  t.regex(reply.json().detail, /failed: The clip is damaged/)
  t.regex((await shown()).noPlaylistReason, /failed/)
})
