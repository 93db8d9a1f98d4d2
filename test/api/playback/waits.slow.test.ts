import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { signPlayLinks } from '../../../api/playback/play-links.ts'
import { putArtifacts } from '../../../store/db/artifacts/put-artifacts.ts'
import { planKey } from '../../../store/objects/job-keys.ts'
import { newFolder } from '../../cli/run-farm.ts'
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

async function planned() {
  const customer = await gateway.customer()
  const { jobId } = (await customer.post(renderPath, requestOf())).json()
  const job = { accountId: customer.accountId, jobId }
  const frames = { total: 30, reused: 0, painted: 30 }
  await gateway.objects.put(planKey(job), Buffer.from(JSON.stringify(plan)))
  await enterStage(gateway.db, { ...job, stage: 'resolve' })
  await enterStage(gateway.db, { ...job, stage: 'plan', frames, format: 'mp4' })
  const links = { publicUrl: '', secret: gateway.secret }
  const { playlistUrl } = signPlayLinks(links, { jobId, filesExpireAt: null, now: new Date() })
  return { ...job, playlistUrl }
}

test('a request waits for its piece, then learns when to retry', async (t) => {
  t.timeout(120_000)
  const { playlistUrl } = await planned()
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

test('a waiting piece follows a plan that is written again', async (t) => {
  t.timeout(120_000)
  const { playlistUrl, ...job } = await planned()
  const { accountId } = job
  const piece = playlistUrl.replace('film.m3u8', 'pictures-0.m4s')
  t.is((await gateway.server.inject(playlistUrl)).statusCode, 200)
  const [digest, objectKey] = ['b'.repeat(64), `accounts/${accountId}/segment`]
  const segments = plan.segments.map((segment) => ({ ...segment, fingerprint: digest }))
  await gateway.objects.put(planKey(job), Buffer.from(JSON.stringify({ ...plan, segments })))
  const bytes = await segment()
  await gateway.objects.put(objectKey, bytes)
  const artifact = { kind: 'segment' as const, digest, bytes: bytes.length, facts: {}, objectKey }
  await putArtifacts(gateway.db, { accountId, artifacts: [artifact] })
  t.is((await gateway.server.inject(piece)).statusCode, 200)
})

async function segment(): Promise<Buffer> {
  const file = join(newFolder(), 'segment.mp4')
  const source = ['-f', 'lavfi', '-i', 'testsrc=s=320x180:r=30:d=1']
  const form = ['-pix_fmt', 'yuv420p', '-video_track_timescale', '30', file]
  await promisify(execFile)('ffmpeg', ['-v', 'error', ...source, '-c:v', 'libx264', ...form])
  return await readFile(file)
}
