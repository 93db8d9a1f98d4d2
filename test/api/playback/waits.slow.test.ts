import test from 'ava'
import { signPlayLinks } from '../../../api/playback/play-links.ts'
import { planKey } from '../../../store/objects/job-keys.ts'
import { enterStage } from '../../store/db/jobs/one-job.ts'
import { renderPath, requestOf, startGateway } from '../gateway.ts'

const gateway = await startGateway()
test.after.always(() => gateway.stop())

const plan = {
  timeline: { width: 320, height: 180, frameRate: 30 },
  audio: [],
  encoder: { encoder: 'libx264' },
  segments: [{ start: 0, frames: 30, fingerprint: 'a'.repeat(64) }],
}

test('a request waits for its piece, then learns when to retry', async (t) => {
  t.timeout(120_000)
  const customer = await gateway.customer()
  const { jobId } = (await customer.post(renderPath, requestOf())).json()
  const job = { accountId: customer.accountId, jobId }
  const frames = { total: 30, reused: 0, painted: 30 }
  await gateway.objects.put(planKey(job), Buffer.from(JSON.stringify(plan)))
  await enterStage(gateway.db, { ...job, stage: 'resolve' })
  await enterStage(gateway.db, { ...job, stage: 'plan', frames, format: 'mp4' })
  const links = { publicUrl: '', secret: gateway.secret }
  const { playlistUrl } = signPlayLinks(links, { jobId, filesExpireAt: null, now: new Date() })
  const begun = Date.now()
  const files = ['pictures-init.mp4', 'pictures-0.m4s']
  const replies = await Promise.all(
    files.map((file) => gateway.server.inject(playlistUrl.replace('film.m3u8', file))),
  )
  t.true(Date.now() - begun > 19_000, 'it was worth waiting for')
  for (const reply of replies) {
    t.is(reply.statusCode, 503)
    t.is(reply.headers['retry-after'], '1')
    t.is(reply.headers['cache-control'], 'no-store')
    t.is(reply.json().detail, 'This part of the film is not rendered yet. Ask again')
  }
})
