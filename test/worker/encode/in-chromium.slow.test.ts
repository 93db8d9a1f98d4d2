import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { type Browser, chromium, type Page } from 'playwright-core'
import type { EncoderSettings } from '../../../core/plan/plan.ts'
import { encodedFramesOf, type FrameRange } from '../../../core/plan/runs.ts'
import { findChromium } from '../../../worker/bake/browser.ts'
import { openFramePipe } from '../../../worker/encode/frame-pipe.ts'
import { joinFilm } from '../../../worker/encode/join.ts'
import { createYuvConverter } from '../../../worker/encode/yuv/yuv.ts'
import { createNamedPipes } from '../../../worker/process/named-pipes.ts'
import { insertRepeats, keyFramesOf } from '../../../worker/still-frames/index.ts'
import { clipOf, encoderOf, never, outputOf, plain, sandbox, writeWav } from './film-of.ts'

/** Tests real playback: a page's view of a film that was joined from segments. */

const size = { width: 97, height: 65, frameRate: 20 }
/** The last segment has a still run that continues in a moving one. */
const cuts = [21, 20, 49]
const stands = { from: 44, frames: 40 }
const frames = 90
const click = 70_007
/** Every frame has a colour that encodes its number; a still run has one colour. */
const pictureOf = (n: number) =>
  n < stands.from ? n : Math.max(stands.from, n - stands.frames + 1)
const colorOf = (n: number) => [20 + n * 3, 220 - n * 3, 60 + (n % 2) * 100]
const formats = ['mp4', 'webm'] as const
type Format = (typeof formats)[number]

/** Runs in the page, which has a film as its `video`. */
const script = `
const video = document.querySelector('video')
const event = (name) => new Promise((resolve, reject) => {
  video.addEventListener(name, resolve, { once: true })
  video.onerror = () => reject(new Error(video.error.message))
})
async function load(format) {
  video.src = '/' + format
  await event('loadeddata')
}
async function seek(second) {
  video.currentTime = second
  await event('seeked')
  return look()
}
function look() {
  const context = new OffscreenCanvas(video.videoWidth, video.videoHeight).getContext('2d')
  context.drawImage(video, 0, 0)
  const { data } = context.getImageData(video.videoWidth - 1, video.videoHeight - 1, 1, 1)
  return { now: video.currentTime, color: [...data.subarray(0, 3)] }
}
async function playToEnd() {
  const times = []
  const note = (_, { mediaTime }) => {
    times.push(mediaTime)
    video.requestVideoFrameCallback(note)
  }
  video.requestVideoFrameCallback(note)
  await video.play()
  await event('ended')
  return { end: video.currentTime, times }
}
async function listen() {
  const bytes = await (await fetch(video.src)).arrayBuffer()
  const sound = await new OfflineAudioContext(2, 1, 48000).decodeAudioData(bytes)
  return sound.getChannelData(0).findIndex((x) => Math.abs(x) > 0.25)
}
`

const html = `<!doctype html><video muted></video><script>${script}</script>`

const dir = await mkdtemp(join(tmpdir(), 'farm-test-'))
const server = createServer(async (request, response) => {
  const name = (request.url ?? '/').slice(1)
  if (name !== '' && !formats.some((format) => format === name)) {
    return void response.writeHead(404).end()
  }
  if (name === '') return void response.writeHead(200, { 'content-type': 'text/html' }).end(html)
  const file = await readFile(join(dir, name, 'out', 'film'))
  const [, from = '0', to = ''] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? []
  const last = to === '' ? file.length - 1 : Number(to)
  const head = {
    'accept-ranges': 'bytes',
    'content-type': `video/${name}`,
    'content-range': `bytes ${from}-${last}/${file.length}`,
  }
  response.writeHead(206, head).end(file.subarray(Number(from), last + 1))
})
let browser: Browser
let origin: string

test.before(async () => {
  for (const format of formats) await makeFilm(format)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const executablePath = await findChromium()
  if (executablePath === undefined) throw new Error('this test needs Chromium')
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
})
test.after.always(async () => {
  await browser?.close()
  server.close()
  await rm(dir, { recursive: true })
})

async function makeFilm(format: Format): Promise<void> {
  const work = { dir: join(dir, format), sandbox }
  await mkdir(work.dir, { recursive: true })
  const segments = []
  let start = 0
  for (const [index, count] of cuts.entries()) {
    const file = join(work.dir, `segment-${index}`)
    await encode({ start, frames: count }, { file, encoder: encoderOf[format] })
    segments.push({ index, file, frames: count })
    start += count
  }
  const samples = (frames / size.frameRate) * 48_000
  const wav = await writeWav(join(work.dir, 'tone.wav'), { samples }, (i) =>
    i < click ? 0 : Math.cos((i - click) / 20) / 2,
  )
  const file = join(work.dir, 'tone')
  await outputOf('ffmpeg', '-i', wav, '-c:a', 'pcm_f32le', '-f', 'wav', file)
  const clips = [{ clip: clipOf({ length: samples }), file }]
  await joinFilm({ ...size, format, segments, title: 'A film', clips }, work)
}

/** Encodes run by run, as a node does. */
async function encode(
  { start, frames }: FrameRange,
  { file, encoder }: { file: string; encoder: EncoderSettings },
): Promise<void> {
  const pictures = Array.from({ length: frames }, (_, i) => pictureOf(start + i))
  const codings = [...Map.groupBy(pictures, (n) => n)].map(([n, { length }]) => {
    const run = { start: n, frames: length }
    return { ...run, encoded: encodedFramesOf(run, { ...size, encoder }) }
  })
  const format = { ...size, encoder, keyFrames: keyFramesOf(codings) }
  const pipes = createNamedPipes(dirname(file))
  const pipe = await openFramePipe(format, { output: file, pipes, signal: never })
  const yuv = createYuvConverter(size)
  for (const { start: n, encoded } of codings) {
    const picture = Buffer.from(yuv.convert(plain(size, colorOf(n))))
    for (let i = 0; i < encoded; i += 1) await pipe.write(picture)
  }
  await pipe.end()
  if (codings.some(({ frames, encoded }) => encoded < frames))
    await insertRepeats({ from: file, to: file }, codings)
}

async function open(t: ExecutionContext, format: Format): Promise<Page> {
  const page = await browser.newPage()
  t.teardown(() => page.close())
  await page.goto(`${origin}/`)
  await page.evaluate(`load('${format}')`)
  return page
}

type Seen = { readonly now: number; readonly color: readonly number[] }

/** Returns the picture that a colour encodes. */
const numberOf = ({ color: [red = 0, green = 0] }: Seen) => Math.round((red - green + 200) / 6)

for (const format of formats) {
  test(`Chromium sees the ${format}'s length and size`, async (t) => {
    const page = await open(t, format)
    const seen = '[video.duration, video.videoWidth, video.videoHeight, video.seekable.end(0)]'
    t.deepEqual(await page.evaluate(seen), [4.5, size.width, size.height, 4.5])
  })

  test(`Chromium seeks to any ${format} frame, forwards and backwards over the seams`, async (t) => {
    const page = await open(t, format)
    for (const n of [0, 1, 20, 21, 22, 40, 41, 60, 80, 83, 84, 89, 5, 70, 44, 86, 30]) {
      const second = (n + 0.5) / size.frameRate
      let seen = await page.evaluate<Seen>(`seek(${second})`)
      // The picture may come after the `seeked` event on a busy machine.
      for (let looks = 0; looks < 50 && numberOf(seen) !== pictureOf(n); looks += 1) {
        await sleep(100)
        seen = await page.evaluate<Seen>('look()')
      }
      t.true(Math.abs(seen.now - second) < 1e-5, `it is at ${seen.now}`)
      const { color } = seen
      t.is(numberOf(seen), pictureOf(n))
      const off = color.map((value, i) => Math.abs(value - (colorOf(pictureOf(n))[i] ?? 0)))
      t.true(Math.max(...off) <= 8, `frame ${n} is ${color}, not ${colorOf(pictureOf(n))}`)
    }
  })

  test(`Chromium plays the ${format} to its end and shows every part`, async (t) => {
    const page = await open(t, format)
    const { end, times } = await page.evaluate<{ end: number; times: number[] }>('playToEnd()')
    t.true(Math.abs(end - 4.5) < 0.03, `it ended at ${end}`)
    const shown = new Set(times.map((time) => Math.round(time * size.frameRate)))
    t.true([...shown].every((n) => n >= 0 && n < frames))
    t.true(shown.size > 5, `${shown.size} different frames`)
  })

  test(`Chromium hears the ${format}'s click at its sample`, async (t) => {
    const page = await open(t, format)
    const onset = await page.evaluate<number>('listen()')
    // WebM counts in milliseconds, so Chromium skips 7 of them where Opus has 6.5.
    const most = format === 'webm' ? 48 : 16
    t.true(Math.abs(onset - click) <= most, `it is at ${onset}`)
  })
}
