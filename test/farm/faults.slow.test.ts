import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { filmOf, mediaFiles } from './film.ts'
import { decodedDigests, processesOf, serveMedia, startFarm } from './running-farm.ts'

const media = await serveMedia({
  ...(await mediaFiles()),
  'lie.png': Buffer.from('#EXTM3U\n/etc/passwd\n'),
})
const farm = await startFarm({ workers: 2, env: { FARM_TRUSTED_HOSTS: media.hosts } })
test.after.always(async () => {
  await farm.stop()
  media.close()
})

/** A film with enough frames that a fault hits it half-way. */
const longFilm = (name: string) => ({
  ...filmOf(media.at, name),
  width: 1280,
  height: 720,
  scenes: [1, 2, 3, 4].map((n) => ({
    id: `s${n}`,
    duration: 4,
    visuals: [
      { type: 'IMAGE', src: media.at('photo.png'), resize: 'cover', zoom: { depth: 1 + n / 10 } },
      { type: 'TEXT', html: `<b>${name} ${n}</b>`, position: 'center-center' },
    ],
  })),
})

test.serial('a 404 fails the job with the field and costs nothing', async (t) => {
  const job = await farm.finished(
    await farm.submit({
      duration: 1,
      visuals: [{ type: 'IMAGE', src: media.at('nowhere.png') }],
    }),
  )
  t.is(job.state, 'failed')
  t.is(job.error?.code, 'media_unreachable')
  t.regex(job.failedReason ?? '', /404/)
  t.is(job.error?.details[0]?.field, 'visuals[0].src')
  t.is(job.creditsCharged, 0)
})

test.serial('a playlist that poses as a picture fails the job as such', async (t) => {
  const job = await farm.finished(
    await farm.submit({ duration: 1, visuals: [{ type: 'IMAGE', src: media.at('lie.png') }] }),
  )
  t.is(job.state, 'failed')
  t.is(job.error?.code, 'media_invalid')
  t.is(job.error?.details[0]?.field, 'visuals[0].src')
})

/**
 * Kills the process of the farm whose command line holds `text` while it renders; answers the
 * job's id.
 */
async function killWhileRendering(text: string): Promise<string> {
  const id = await farm.submit(longFilm(text.replaceAll(/\W/g, ' ')))
  await farm.waitFor(id, ({ state }) => state === 'rendering')
  await sleep(500)
  const [victim] = await processesOf(farm, text)
  if (victim === undefined) throw new Error(`A process of ${text} must run. None does`)
  process.kill(victim, 'SIGKILL')
  return id
}

test.serial('a worker killed amid a shard costs time and nothing else', async (t) => {
  const job = await farm.finished(await killWhileRendering('main.ts worker'))
  t.is(job.state, 'completed')
  t.is(job.creditsCharged, job.creditsReserved)
  t.is(job.result?.duration, 16)
})

test.serial('Temporal killed amid a job is restarted, and the job ends well', async (t) => {
  const job = await farm.finished(await killWhileRendering('server start-dev'))
  t.is(job.state, 'completed')
})

test.serial('api, scheduler and workflows killed amid a job go on with it', async (t) => {
  const id = await killWhileRendering('main.ts control')
  await farm.untilBack()
  const job = await farm.finished(id)
  t.is(job.state, 'completed')
  t.is(job.creditsCharged, job.creditsReserved)
})

test.serial('a film submitted twice is the same, and nothing is rendered twice', async (t) => {
  const payload = filmOf(media.at, 'twice')
  const first = await farm.render(payload)
  const second = await farm.render(payload)
  t.is(await decodedDigests(first.file), await decodedDigests(second.file))
  t.true(second.job.frames.total > 0)
  t.is(second.job.frames.reused, second.job.frames.total)
})

test.serial('a cancelled job stops and gives back what was not rendered', async (t) => {
  const id = await farm.submit(longFilm('cancel'))
  await farm.waitFor(id, ({ state }) => state === 'rendering')
  t.is((await farm.call('POST', `/api/jobs/${id}/cancel`)).status, 200)
  const job = await farm.finished(id)
  t.is(job.state, 'cancelled')
  t.true(job.creditsCharged < job.creditsReserved)
})

test.serial('every fault of a request comes back at once, by path', async (t) => {
  const reply = await farm.call('POST', '/api/render/api-key', {
    payload: {
      duration: 0,
      colour: 'red',
      visuals: [{ type: 'IMAGE', src: 7, opacity: 2 }],
    },
  })
  t.is(reply.status, 400)
  const fields = (reply.body.details as { field: string }[]).map(({ field }) => field)
  t.deepEqual(fields.toSorted(), ['colour', 'duration', 'visuals[0].opacity', 'visuals[0].src'])
})
