import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { sql } from 'kysely'
import { type Browser, chromium } from 'playwright-core'
import { signPlayLinks } from '../../../api/playback/play-links.ts'
import { putArtifacts } from '../../../store/db/artifacts/put-artifacts.ts'
import { planKey } from '../../../store/objects/job-keys.ts'
import { findChromium } from '../../../worker/bake/browser.ts'
import { newFolder } from '../../cli/run-farm.ts'
import { film, type Gateway, renderPath, requestOf, startGateway } from '../gateway.ts'

/** The page beside a gateway whose nodes are this test: it says which segments are there, and when. */

const scenes = 6
const plan = {
  timeline: { width: 320, height: 180, frameRate: 30 },
  audio: [],
  encoder: { encoder: 'libx264' },
  segments: Array.from({ length: scenes }, (_, at) => ({
    ...{ start: at * 60, frames: 60, fingerprint: `${at}`.padStart(64, '0') },
  })),
}

let gateway: Gateway
let publicUrl: string
let browser: Browser
let segment: Buffer

test.before(async () => {
  gateway = await startGateway()
  await gateway.server.listen({ host: '127.0.0.1', port: 0 })
  publicUrl = `http://127.0.0.1:${(gateway.server.server.address() as AddressInfo).port}`
  const executablePath = await findChromium()
  if (executablePath === undefined) throw new Error('this test needs Chromium')
  const args = ['--no-sandbox', '--autoplay-policy=no-user-gesture-required']
  browser = await chromium.launch({ executablePath, args })
  segment = await encodeSegment()
})
test.after.always(async () => {
  await browser?.close()
  await gateway?.stop()
})

async function encodeSegment(): Promise<Buffer> {
  const file = join(newFolder(), 'segment.mp4')
  const source = ['-f', 'lavfi', '-i', 'testsrc=s=320x180:r=30:d=2']
  const coding = ['-c:v', 'libx264', '-preset', 'ultrafast', '-profile:v', 'high']
  const form = ['-pix_fmt', 'yuv420p', '-video_track_timescale', '30', file]
  await promisify(execFile)('ffmpeg', ['-v', 'error', ...source, ...coding, ...form])
  return await readFile(file)
}

/** A film that renders, none of whose segments is there. */
async function rendering() {
  const customer = await gateway.customer()
  const request = requestOf(film)
  await customer.post(renderPath, request)
  const { jobId } = request
  const { accountId } = customer
  await gateway.objects.put(planKey({ accountId, jobId }), Buffer.from(JSON.stringify(plan)))
  await sql`update jobs set state = 'rendering', stage = 'render', frames_total = ${scenes * 60},
    frames_painted = ${scenes * 60}, film_format = 'mp4' where id = ${jobId}`.execute(gateway.db)
  const links = { publicUrl, secret: gateway.secret }
  const { watchUrl } = signPlayLinks(links, { jobId, filesExpireAt: null, now: new Date() })
  const objectKey = `accounts/${accountId}/segment`
  await gateway.objects.put(objectKey, segment)
  const paint = async (from: number, to: number) => {
    const artifacts = plan.segments.slice(from, to).map(({ fingerprint: digest }) => ({
      ...{ kind: 'segment' as const, digest, bytes: segment.length, facts: {}, objectKey },
    }))
    await putArtifacts(gateway.db, { accountId, artifacts })
  }
  return { jobId, watchUrl, paint }
}

test('a film that is cancelled before its first picture says so', async (t) => {
  const { jobId, watchUrl } = await rendering()
  const page = await browser.newPage()
  await page.goto(watchUrl)
  await page.getByText('The part that you wait for is rendered first.').waitFor()
  await sql`update jobs set state = 'cancelled', finished_at = now() where id = ${jobId}`.execute(
    gateway.db,
  )
  await page.getByText('The film was not rendered, because its job was cancelled.').waitFor()
  t.false(await page.locator('#film').isVisible())
  await page.close()
})

test('a browser’s own player goes on after a part that came late', async (t) => {
  t.timeout(120_000)
  const { watchUrl, paint } = await rendering()
  await paint(0, 2)
  const page = await browser.newPage()
  // Chromium plays such lists itself, as Safari does; the page lets Safari alone do it.
  await page.addInitScript(
    `Object.defineProperty(navigator, 'vendor', { get: () => 'Apple Computer, Inc.' })
    addEventListener('error', ({ target }) => {
      if (target?.tagName === 'VIDEO') document.documentElement.dataset.lost = 'true'
    }, true)`,
  )
  await page.goto(watchUrl)
  await page.locator('html[data-lost]').waitFor({ timeout: 60_000 })
  await paint(2, scenes)
  const moment = () => page.evaluate('document.getElementById("video").currentTime')
  while (Number(await moment()) < 5) await page.waitForTimeout(200)
  t.is(await page.evaluate('window.Hls'), undefined)
  await page.close()
})

/** A finished film of few pictures, with sound. */
async function short({ rate, frames }: { rate: number; frames: number }) {
  const file = join(newFolder(), 'film.mp4')
  const seconds = frames / rate
  const pictures = ['-f', 'lavfi', '-i', `testsrc=s=320x180:r=${rate}:d=${seconds}`]
  const sound = ['-f', 'lavfi', '-i', `sine=r=48000:d=${seconds}`]
  const codecs = ['-c:v', 'libx264', '-pix_fmt', 'yuv420p', '-c:a', 'aac', '-ac', '2']
  const form = ['-video_track_timescale', `${rate}`, file]
  await promisify(execFile)('ffmpeg', ['-v', 'error', ...pictures, ...sound, ...codecs, ...form])
  const customer = await gateway.customer()
  const request = requestOf(film)
  await customer.post(renderPath, request)
  const { jobId } = request
  const key = `accounts/${customer.accountId}/film-of-${frames}`
  await gateway.objects.put(key, await readFile(file))
  await sql`update jobs set state = 'completed', finished_at = now(), frames_total = ${frames},
    film_format = 'mp4', output_key = ${key} where id = ${jobId}`.execute(gateway.db)
  const links = { publicUrl, secret: gateway.secret }
  return signPlayLinks(links, { jobId, filesExpireAt: null, now: new Date() }).watchUrl
}

for (const { rate, frames } of [
  { rate: 5, frames: 1 },
  { rate: 60, frames: 6 },
  { rate: 1, frames: 2 },
]) {
  test(`a film of ${frames / rate} s with sound plays at ${rate} fps`, async (t) => {
    const page = await browser.newPage()
    await page.goto(await short({ rate, frames }))
    const ended = () => page.evaluate('document.getElementById("video").ended')
    while (!(await ended())) await page.waitForTimeout(100)
    t.true(await page.evaluate('document.getElementById("video").readyState >= 2'))
    await page.close()
  })
}
