import { readFile } from 'node:fs/promises'
import test from 'ava'
import { setPlan } from '../../../store/db/accounts/set-plan.ts'
import { endJobs, type JobEnding } from '../../../store/db/jobs/end-jobs.ts'
import { enterStages } from '../../../store/db/jobs/enter-stages.ts'
import { keep, until, visit } from '../open-browser.ts'
import { stageOfFile } from '../stage.ts'

/** Story 04: a bulk of 500 stills, whose jobs move by the store's own statements. */

const stills = 500
const payload = {
  ...{ type: 'image', name: 'Card', width: 320, height: 180 },
  visuals: [{ type: 'TEXT', text: 'Hello' }],
}
const error = { code: 'internal', message: 'The lens was dirty', details: [] } as const
const outputKey = 'accounts/none/still.png'
const completed = {
  ...{ to: 'completed', outputKey, thumbnailKey: outputKey },
  result: { duration: 0, size: 1_000, width: 320, height: 180 },
} as const satisfies JobEnding

const words = `document.querySelector('.count-bar p')?.textContent`
const cells = (state: string) =>
  `[...document.querySelectorAll('.sheet-cell .state')].filter((s) => s.textContent.trim() === '${state}').length`

const stage = stageOfFile()

/** A busy page sometimes ignores `focus()`: it is asked until it has it. */
const takesFocus = `(document.querySelector('.virtual').focus(),
  document.activeElement.matches('.virtual, .virtual *'))`

test('a bulk of 500 counts live, and its failed jobs render again', async (t) => {
  const { db, objects } = stage.site.gateway
  const picture = new URL('../../../examples/launch/media/logo.png', import.meta.url)
  await objects.put(outputKey, await readFile(picture))
  const { customer, signsIn } = await stage.site.user(100_000)
  const { accountId } = customer
  await setPlan(db, { accountId, plan: 'studio' })
  const items = Array.from({ length: stills }, (_, i) => ({ name: `Card ${i}` }))
  const sent = await customer.post('/api/render/bulk/api-key', { payload, name: 'Cards', items })
  const { bulkId, jobIds } = sent.json() as { bulkId: string; jobIds: string[] }
  t.is(jobIds.length, stills)
  const end = async (ids: readonly string[], end: JobEnding) => {
    for (const stage of ['resolve', 'render', 'assemble'] as const) {
      await enterStages(db, { accountId, entries: ids.map((jobId) => ({ jobId, stage })) })
    }
    const ends = ids.map((jobId) => ({ jobId, reason: 'a test', end }))
    t.is((await endJobs(db, { accountId, ends })).length, ids.length)
  }

  const { context, tab, page } = await stage.signedIn({ signsIn })
  await visit(tab, `${stage.site.origin}/bulks/${bulkId}`)
  await until(page, `${words} === '500 queued'`)
  await until(page, `document.querySelectorAll('.sheet-cell progress').length > 0`)
  const loads: string[] = []
  page.on('framenavigated', (frame) => loads.push(frame.url()))

  await end(jobIds.slice(0, 4), completed)
  await until(page, `${cells('completed')} === 4`)
  await until(page, `${words} === '4 completed, 496 queued'`)
  await end(jobIds.slice(4, 7), { to: 'failed', error })
  await until(page, `${cells('failed')} === 3`)
  await end(jobIds.slice(7), completed)
  await until(page, `${words} === '497 completed, 3 failed'`)
  t.true((await page.locator('tbody tr').count()) <= 60)
  t.true((await page.locator('.sheet-cell').count()) < stills)
  const seen = `[...document.querySelectorAll('.sheet-cell img')].filter((i) => i.naturalWidth > 0).length`
  await until(page, `${seen} >= 10`)
  await keep(page, 'story-04-contact-sheet')

  // The last row is reached, and the sheet stays small.
  await until(page, takesFocus)
  await page.keyboard.press('End')
  await page.waitForSelector('text=Card 499')
  t.true((await page.locator('tbody tr').count()) <= 60)
  t.deepEqual(loads, [])

  await page.click('text=Render all failed again')
  await page.waitForURL((url) => url.pathname.startsWith('/bulks/') && !url.href.includes(bulkId))
  await until(page, `${words} === '3 queued'`)
  const again = page.url().split('/').at(-1) ?? ''
  const made = (await customer.get(`/api/render/bulk/${again}`)).json() as { items: number }
  t.is(made.items, 3)
  t.is((await customer.get('/api/jobs')).json().total, stills + 3)
  t.deepEqual(tab.faults, [])

  // A page of the sheet that cannot be read is read again.
  let refusals = 0
  await page.route(/[?&]page=9\b/, async (route) => {
    refusals += 1
    if (refusals > 1) await route.continue()
    else await route.fulfill({ status: 404, json: {} })
  })
  await visit(tab, `${stage.site.origin}/bulks/${bulkId}`)
  await until(page, takesFocus)
  await page.keyboard.press('End')
  await page.waitForSelector('text=Card 499')
  t.true(refusals > 1)
  await context.close()
})
