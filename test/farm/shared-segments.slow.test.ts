import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { type Job, startFarm } from './running-farm.ts'

const farm = await startFarm()
test.after.always(() => farm.stop())

const items = 20
const frames = { all: 360, card: 90 }
const deadlineMs = 90_000

/** Twelve seconds that move all the time; a name lies over three of them. */
const film = {
  ...{ width: 320, height: 180, frameRate: 30, duration: 12 },
  visuals: [
    {
      type: 'SVG',
      svg: '<svg xmlns="http://www.w3.org/2000/svg" width="320" height="180"><rect width="320" height="180" fill="#246"/><circle cx="90" cy="90" r="40" fill="#fa3"/></svg>',
      ...{ x: 0, y: 0, enterAnimation: 'slideleft', enterBegin: 0, enterEnd: 11 },
    },
    {
      ...{ type: 'TEXT', html: '<b>{{ who }}</b>', position: 'center-center', track: 1 },
      ...{ enterBegin: 4, exitEnd: 7 },
    },
  ],
}

test('shared segments of a bulk are rendered once, and all films complete', async (t) => {
  t.timeout(deadlineMs + 60_000)
  const { body } = await farm.call('POST', '/api/render/bulk/api-key', {
    payload: film,
    items: Array.from({ length: items }, (_, n) => ({ variables: { who: `guest ${n}` } })),
  })
  const path = `/api/render/bulk/${body.bulkId}`
  const bulk = async () => (await farm.call('GET', path)).body
  const deadline = Date.now() + deadlineMs
  while ((await bulk()).state !== 'finished' && Date.now() < deadline) await sleep(100)
  t.like(await bulk(), { state: 'finished', counts: { completed: items } })
  const jobs = await Promise.all((body.jobIds as string[]).map((id) => farm.job(id)))
  const sum = (of: (job: Job) => number) => jobs.reduce((all, job) => all + of(job), 0)
  const rendered = sum(({ frames: { total, reused } }) => total - reused)
  t.is(
    sum(({ frames: { total } }) => total),
    items * frames.all,
  )
  // A segment may begin before the name and end after it.
  t.true(rendered <= frames.all + (items - 1) * 2 * frames.card, `${rendered}`)
  t.true(rendered >= frames.all + (items - 1) * frames.card, `${rendered}`)
})
