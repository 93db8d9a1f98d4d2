import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import sharp from 'sharp'
import { mediaFiles } from './film.ts'
import { type Farm, type Job, serveMedia, startFarm } from './running-farm.ts'
import { fillDisk, freeDisk, whyNoDisks } from './small-disks.ts'

const whyNot = whyNoDisks()
const diskTest = whyNot === undefined ? test.serial : test.serial.skip
if (whyNot !== undefined) console.log(`Full disks are not tested: ${whyNot}`)

const noises = {
  'noise.png': await noise('noise', { width: 1280, height: 720 }),
  'film.png': await noise('film', { width: 640, height: 360 }),
}
const media = await serveMedia({ ...(await mediaFiles()), ...noises })
test.after.always(() => media.close())

let farm: Farm
if (whyNot === undefined) {
  test.before(async () => {
    farm = await startFarm({
      workers: 2,
      env: { FARM_TRUSTED_HOSTS: media.hosts, FARM_SLOTS: '1' },
      disks: { 'workers/1': '64m', 'workers/2': '64m', objects: '200m' },
    })
  })
  test.after.always(() => farm?.stop())
  test.afterEach.always(async () => {
    for (const disk of ['workers/1', 'workers/2', 'objects']) await freeDisk(farm, disk)
  })
}

const picture = { type: 'IMAGE', src: media.at('noise.png'), resize: 'cover' }
const text = (html: string) => ({ type: 'TEXT', html })
const small = { width: 320, height: 180, duration: 1 }

/**
 * Lasts 24 seconds in twelve scenes of moving noise, so that it has megabytes and is two shards.
 */
const film = (name: string) => ({
  ...{ name, width: 640, height: 360 },
  scenes: Array.from({ length: 12 }, (_, n) => ({
    id: `s${n}`,
    duration: 2,
    // Unique picture: a node does not decode a known one again.
    visuals: [
      { ...picture, src: media.at('film.png'), zoom: { depth: 1.3 + n / 16 } },
      text(`${name} ${n}`),
    ],
  })),
})

async function noise(seed: string, edges: { width: number; height: number }): Promise<Buffer> {
  const size = { ...edges, channels: 3 } as const
  const pixels = createHash('shake256', { outputLength: size.width * size.height * 3 })
  return await sharp(pixels.update(seed).digest(), { raw: size }).png().toBuffer()
}

async function rendered(payload: unknown): Promise<Job> {
  return await farm.finished(await farm.submit(payload))
}

/** Number of tasks that a worker has failed for its disk. */
const failuresOf = async (worker: number) =>
  (await linesOf(worker, /"code":"disk_full","msg":"task failed"/)).length

/** Answers whether a worker takes no work for its disk, by its last report. */
async function isPaused(worker: number): Promise<boolean> {
  const said = await linesOf(worker, /"pause":/)
  return /"pause":"its disk is full/.test(said.at(-1) ?? '')
}

async function linesOf(worker: number, words: RegExp): Promise<readonly string[]> {
  const log = await readFile(join(farm.data, 'logs', `worker-${worker}.log`), 'utf8')
  return log.split('\n').filter((line) => words.test(line))
}

diskTest('a film that fits on no disk fails, and what was rendered of it is kept', async (t) => {
  // Leaves space for the segments one by one, but not for all of them and the film.
  for (const disk of ['workers/1', 'workers/2']) await fillDisk(farm, disk, 5_000_000)
  const failed = await rendered(film('large'))
  t.is(failed.state, 'failed')
  t.is(failed.error?.code, 'disk_full')
  t.is(failed.creditsCharged, 0)
  for (const disk of ['workers/1', 'workers/2']) await freeDisk(farm, disk)
  const again = await rendered(film('large'))
  t.is(again.state, 'completed', JSON.stringify(again.error))
  t.is(again.frames.total, 720)
  t.is(again.frames.reused, 720)
})

// The picture has 2.8 MB, and 3.7 decoded, more than the caches can free here. First the download
// finds no space, then the decoder.
for (const freeBytes of [0, 3_000_000]) {
  diskTest(
    `a picture that fits no disk (${freeBytes} bytes free) is no customer's fault`,
    async (t) => {
      for (const disk of ['workers/1', 'workers/2']) await fillDisk(farm, disk, freeBytes)
      const job = await rendered({ ...small, visuals: [{ ...picture, x: freeBytes / 1000 }] })
      t.is(job.state, 'failed')
      t.is(job.error?.code, 'disk_full')
      t.regex(job.failedReason ?? '', /All 3 attempts failed\. .* has no room on its disk/)
      t.is(job.creditsCharged, 0)
    },
  )
}

diskTest(
  'sound and text fail for the disk as well, and work again when there is room',
  async (t) => {
    const sound = { ...small, audios: [{ src: media.at('sound.wav') }] }
    const words = { ...small, visuals: [text('full')] }
    for (const disk of ['workers/1', 'workers/2']) await fillDisk(farm, disk)
    for (const payload of [sound, words]) t.is((await rendered(payload)).error?.code, 'disk_full')
    for (const disk of ['workers/1', 'workers/2']) await freeDisk(farm, disk)
    for (const payload of [sound, words]) t.is((await rendered(payload)).state, 'completed')
  },
)

diskTest('another machine takes over from one with a full disk', async (t) => {
  const before = [await failuresOf(1), await failuresOf(2)] as const
  await fillDisk(farm, 'workers/1')
  const job = await rendered(film('other'))
  t.is(job.state, 'completed', JSON.stringify(job.error))
  t.is(job.creditsCharged, job.creditsReserved)
  // It fails its task, or has reported its disk before, maybe in the previous test.
  t.true((await failuresOf(1)) > before[0] || (await isPaused(1)))
  t.is(await failuresOf(2), before[1])
})

diskTest('a full object store fails the job with its reason, at each stage', async (t) => {
  // Too little space for the plan or the documents to paint; for the media; for the film.
  for (const [freeBytes, payload] of [
    [0, { ...small, visuals: [text('store')] }],
    [100_000, { ...small, visuals: [picture] }],
    [3_000_000, film('store')],
  ] as const) {
    await fillDisk(farm, 'objects', freeBytes)
    const job = await rendered(payload)
    t.is(job.state, 'failed')
    t.is(job.error?.code, 'disk_full', `${freeBytes} free`)
    t.regex(job.failedReason ?? '', /store .*(no room|full)/)
    t.is(job.creditsCharged, 0)
  }
  await freeDisk(farm, 'objects')
  t.is((await rendered(film('store'))).state, 'completed')
})
