import test from 'ava'
import { sql } from 'kysely'
import type { Page } from 'playwright-core'
import { keep, openTab, signIn, sizes, stopTime, until, visit } from './open-browser.ts'
import { stageOfFile } from './stage.ts'

/** Many tabs and many rows in a real browser: one stream for all, few elements for thousands. */

const payload = {
  ...{ name: 'A film', width: 320, height: 180, duration: 1 },
  visuals: [{ type: 'TEXT', text: 'Hello' }],
}
const focusedRow = `document.activeElement?.closest('tr')?.dataset.index`

const stage = stageOfFile()

test.serial('ten tabs share one stream and one session', async (t) => {
  const { customer, signsIn } = await stage.site.user()
  const context = await stage.browser.newContext({ viewport: sizes.desktop })
  let streams = 0
  let refreshes = 0
  context.on('request', (request) => {
    if (new URL(request.url()).pathname === '/api/events') streams += 1
    if (request.url().endsWith('/api/auth/refresh')) refreshes += 1
  })
  const first = await openTab(context)
  await signIn(first, signsIn)
  const others = []
  for (let i = 0; i < 9; i += 1) {
    const tab = await openTab(context)
    await visit(tab, `${stage.site.origin}/jobs`)
    others.push(tab)
  }
  t.is(streams, 1)
  t.is(refreshes, 0)
  const newest = { ...payload, name: 'newest' }
  const { jobId } = (await customer.post('/api/render/api-key', { payload: newest })).json()
  for (const { page } of others) await page.waitForSelector('text=1 new job')
  await keep(others[8]?.page as Page, 'story-14-one-stream')
  // The first tab holds the stream: when it closes, another takes over, and has missed nothing. The time of
  // all others stands, so that none can wait for a timer.
  for (const { page } of others) await page.clock.install()
  for (const { page } of others) await stopTime(page)
  await first.page.close()
  await customer.post(`/api/jobs/${jobId}/cancel`)
  await customer.post('/api/render/api-key', { payload: { ...payload, name: 'later' } })
  for (const { page } of others) await page.waitForSelector('text=2 new jobs')
  t.is(streams, 2)
  await others[0]?.page.click('text=Sign out')
  for (const { page } of others) await page.waitForSelector('input[name=email]')
  t.deepEqual(
    others.flatMap(({ faults }) => faults),
    [],
  )
  await context.close()
})

test.serial('ten thousand jobs are few elements, and the keyboard walks them', async (t) => {
  const { customer, signsIn } = await stage.site.user(1_000_000)
  await customer.post('/api/render/api-key', { payload })
  await sql`insert into jobs select (jsonb_populate_record(jobs, jsonb_build_object(
    'id', gen_random_uuid(), 'name', 'row ' || n))).*
    from jobs, generate_series(1, 9999) n where account_id = ${customer.accountId}`.execute(
    stage.site.gateway.db,
  )
  const { context, tab, page } = await stage.signedIn({ signsIn })
  await visit(tab, `${stage.site.origin}/jobs`)
  await page.waitForSelector('tbody a')
  const rows = () => page.locator('tbody tr').count()
  t.true((await rows()) <= 60)
  await page.locator('tbody a').first().focus()
  await page.keyboard.press('End')
  await until(page, `${focusedRow} === '9999'`)
  t.true((await rows()) <= 60)
  for (let i = 0; i < 30; i += 1) await page.keyboard.press('ArrowUp')
  await until(page, `${focusedRow} === '9969'`)
  // The focused row stays while the list is scrolled far away from it.
  await page.mouse.move(640, 600)
  await page.mouse.wheel(0, -1_000_000)
  await until(page, `document.querySelector('.virtual').scrollTop === 0`)
  await until(page, `document.querySelector('tr[data-index="0"] a') !== null`)
  t.is(await page.evaluate(focusedRow), '9969')
  t.true((await rows()) <= 60)
  t.deepEqual(tab.faults, [])
  await context.close()
})
