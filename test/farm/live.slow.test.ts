import { setTimeout as sleep } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import sharp from 'sharp'
import { eventsOf } from '../api/event-stream.ts'
import { processesOf, startFarm } from './running-farm.ts'

const farm = await startFarm({ workers: 1 })
test.after.always(() => farm.stop())

/** Scenes of moving text: enough frames for a long render, and many segments. */
function filmOf(name: string, { width = 1280, height = 720, scenes = 6 } = {}) {
  const moving = { enterEnd: 3, enterAnimation: 'slideleft', position: 'center-center' }
  return {
    name,
    width,
    height,
    scenes: Array.from({ length: scenes }, (_, n) => ({
      id: `s${n}`,
      duration: 3,
      backgroundColor: `#${100_000 + n * 25_000}`,
      visuals: [{ type: 'TEXT', html: `<b>${name} ${n}</b>`, ...moving }],
    })),
  }
}

async function eventsOfJob(t: ExecutionContext, id: string) {
  const end = new AbortController()
  t.teardown(() => end.abort())
  const reply = await fetch(`${farm.url}/api/jobs/${id}/events`, {
    headers: { 'x-api-key': farm.apiKey },
    signal: end.signal,
  })
  if (!reply.body) throw new Error(`${reply.status}`)
  return eventsOf(reply.body)
}

test.serial('a render shows its progress, with a picture, until its file exists', async (t) => {
  const id = await farm.submit(filmOf('live', { scenes: 16 }))
  const progress: number[] = []
  const pictures: Buffer[] = []
  let last: Record<string, unknown> = {}
  for await (const { job } of await eventsOfJob(t, id)) {
    progress.push(job.progress as number)
    last = job
    if (typeof job.previewUrl === 'string') {
      pictures.push(Buffer.from(await (await fetch(job.previewUrl)).arrayBuffer()))
    }
  }
  t.is(last.state, 'completed')
  t.is((await fetch(String(last.url))).status, 200)
  t.deepEqual(
    progress,
    progress.toSorted((a, b) => a - b),
  )
  t.true(
    progress.some((percent) => percent > 5 && percent < 95),
    `${progress}`,
  )
  t.true(pictures.length > 0)
  for (const picture of pictures) {
    t.like(await sharp(picture).metadata(), { format: 'jpeg', width: 320, height: 180 })
  }
})

test.serial('a cancelled job stops what runs for it', async (t) => {
  const id = await farm.submit(filmOf('stop', { scenes: 30 }))
  await farm.waitFor(id, ({ state, frames }) => state === 'rendering' && frames.done > 0)
  t.true((await encoders()).length > 0)
  t.is((await farm.call('POST', `/api/jobs/${id}/cancel`)).status, 200)
  while ((await encoders()).length > 0) await sleep(100)
  const job = await farm.job(id)
  t.is(job.state, 'cancelled')
  t.true(job.frames.done < job.frames.total)
  t.true(job.creditsCharged < job.creditsReserved)
})

const encoders = async () => await processesOf(farm, 'libx264')

test.serial('a film keeps the template’s state at its submission', async (t) => {
  const payload = {
    ...filmOf('{{name}}', { width: 320, height: 180, scenes: 1 }),
    name: 'from a template',
  }
  const { body: template } = await farm.call('POST', '/api/templates', { name: 'One', payload })
  const variables = { name: 'Ada' }
  const { body } = await farm.call('POST', '/api/render/api-key', {
    template: template.id,
    variables,
  })
  await farm.call('DELETE', `/api/templates/${template.id}`)
  const job = await farm.finished(String(body.jobId))
  t.is(job.state, 'completed')
  t.like(job, { templateId: template.id })
})
