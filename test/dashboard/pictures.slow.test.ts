import test from 'ava'
import { sql } from 'kysely'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import { compareWithKept, pictureOf } from './kept-pictures.ts'
import { fits, keep, openBrowser, openTab, settled, signIn } from './open-browser.ts'
import { openSite, type Site } from './site.ts'

/**
 * Story 18: twelve screens in five looks, compared with the pictures in `kept/`. A change that is meant is
 * kept by `npm run dashboard:pictures`, and looked at before it is committed.
 */

const kept = new URL('kept/', import.meta.url).pathname

/** Noon of today: times on the pages are told from it, and all rows are of the same day. */
const now = new Date(new Date().setUTCHours(12, 0, 0, 0))
const desktop = { width: 1024, height: 720 }

const looks: Readonly<Record<string, BrowserContextOptions & { readonly isLarge?: boolean }>> = {
  light: { viewport: desktop, colorScheme: 'light' },
  dark: { viewport: desktop, colorScheme: 'dark' },
  forced: { viewport: desktop, forcedColors: 'active' },
  narrow: { viewport: { width: 320, height: 640 } },
  large: { viewport: desktop, isLarge: true },
}

const shownJob = '00000000-0000-4000-8000-000000000018'
/** Parts that come after their page. */
const awaited: Readonly<Record<string, string>> = {
  ...{ jobs: 'tbody a', bulk: 'a.sheet-cell', 'new-bulk': 'main select' },
}

const payload = {
  ...{ name: 'Autumn sale', width: 320, height: 180, duration: 1, variables: { guest: 'Ada' } },
  visuals: [{ type: 'TEXT', text: '{{guest}}' }],
}

let site: Site
let browser: Browser
let screens: Record<string, string>
let signsIn: { url: string; email: string; password: string }

test.before(async () => {
  site = await openSite()
  browser = await openBrowser()
  const user = await site.user()
  signsIn = user.signsIn
  screens = await seed(user.customer)
})
test.after.always(async () => {
  await browser?.close()
  await site?.gateway.stop()
})

type Customer = Awaited<ReturnType<Site['user']>>['customer']

/** One of everything, with the same names and times in every run. */
async function seed({ accountId, post }: Customer): Promise<Record<string, string>> {
  const made = async (path: string, body: object) => {
    const reply = await post(path, body)
    if (reply.statusCode >= 300) throw new Error(reply.body)
    return reply.json()
  }
  const template = await made('/api/templates', { name: 'Invitation', payload })
  const job = await made('/api/render/api-key', { payload, jobId: shownJob })
  await post(`/api/jobs/${(await made('/api/render/api-key', { payload })).jobId}/cancel`)
  const items = Array.from({ length: 12 }, (_, i) => ({ name: `Guest ${i}` }))
  const bulk = await made('/api/render/bulk/api-key', { payload, name: 'Guests', items })
  const hook = {
    url: 'https://example.com/hook',
    description: 'Our shop',
    events: ['render.failed'],
  }
  const webhook = await made('/api/webhooks', hook)
  await fixTimes(accountId)
  return {
    ...{ overview: '/', jobs: '/jobs', job: `/jobs/${job.jobId}`, bulks: '/bulks' },
    ...{ bulk: `/bulks/${bulk.bulkId}`, 'new-bulk': `/bulks/new?template=${template.id}` },
    ...{ templates: '/templates', template: `/templates/${template.id}`, webhooks: '/webhooks' },
    ...{ webhook: `/webhooks/${webhook.id}`, credits: '/credits', nowhere: '/no/such/page' },
  }
}

/** Sets every time of the account to about 20 minutes before the pages' present, jobs in their order. */
async function fixTimes(accountId: string): Promise<void> {
  const { db } = site.gateway
  const start = new Date(now.getTime() - 20 * 60_000)
  await sql`update jobs set updated_at = ${start}, created_at = ${start}::timestamptz + place * interval '1 ms',
      finished_at = case when finished_at is null then null else ${start}::timestamptz end
    from (select id, row_number() over (order by bulk_index nulls first, name, state) as place
      from jobs where account_id = ${accountId}) placed
    where jobs.id = placed.id`.execute(db)
  await sql`update templates set updated_at = ${start} where account_id = ${accountId}`.execute(db)
  for (const table of ['bulks', 'templates', 'webhooks', 'credit_entries']) {
    await sql`update ${sql.table(table)} set created_at = ${start}
      where account_id = ${accountId}`.execute(db)
  }
}

async function openLook({ isLarge = false, ...options }: (typeof looks)[string]) {
  const context = await browser.newContext({
    ...options,
    ...{ timezoneId: 'UTC', locale: 'en-GB', reducedMotion: 'reduce' },
  })
  const tab = await openTab(context)
  if (isLarge) {
    const devtools = await context.newCDPSession(tab.page)
    await devtools.send('Page.setFontSizes', { fontSizes: { standard: 32, fixed: 26 } })
  }
  await tab.page.clock.setFixedTime(now)
  await signIn(tab, signsIn)
  return { context, tab, page: tab.page }
}

const strayTimes = `[...document.querySelectorAll('time')].map(({ dateTime }) => dateTime)
  .filter((at) => Math.abs(Date.parse(at) - ${now.getTime() - 20 * 60_000}) > 60_000)`

/** Sum of the shifts of what was already shown, as browsers score it. */
const shifts = `new Promise((resolve) => {
  new PerformanceObserver((list) => resolve(list.getEntries()
    .reduce((sum, { value, hadRecentInput }) => sum + (hadRecentInput ? 0 : value), 0)))
    .observe({ type: 'layout-shift', buffered: true })
  setTimeout(() => resolve(0), 200)
})`
/** Above it, browsers call a page's shifts bad. */
const mostShifted = 0.1

const running = `document.getAnimations().filter((each) => each.playState === 'running').length`

/** Texts that reach over their box's edges. */
const overflowing = `[...document.querySelectorAll('main *, nav *')]
  .filter(({ scrollWidth, clientWidth, scrollHeight, clientHeight }) =>
    clientWidth > 1 && (scrollWidth > clientWidth + 1 || scrollHeight > clientHeight * 1.1 + 1))
  .filter((each) => {
    const { overflowX, display } = getComputedStyle(each)
    return overflowX === 'visible' && display !== 'inline'
  })
  .map((each) => each.className + ' ' + each.textContent.slice(0, 40))`

/** Filters whose words are cut off; an arrow takes 24 px beside the words of a select. */
const cut = `[...document.querySelectorAll('.filters :is(select, input)')]
  .map((each) => {
    const { font, paddingLeft, paddingRight } = getComputedStyle(each)
    const words = each.placeholder ?? each.selectedOptions[0]?.textContent ?? ''
    const pen = Object.assign(document.createElement('canvas').getContext('2d'), { font })
    const room = each.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight)
    return { words, left: room - pen.measureText(words).width - (each.matches('select') ? 24 : 0) }
  })
  .filter(({ left }) => left < 0).map(({ words, left }) => words + ' ' + left)`

for (const [look, options] of Object.entries(looks)) {
  test.serial(`screens look as they were kept, ${look}`, async (t) => {
    const { context, tab, page } = await openLook(options)
    for (const [name, path] of Object.entries(screens)) {
      await page.goto(site.origin + path)
      await page.waitForSelector('.page-head')
      await page.waitForLoadState('load')
      await settled(page)
      const part = awaited[name]
      if (part !== undefined) await page.waitForSelector(part)
      await page.evaluate('document.fonts.ready.then(() => undefined)')
      t.is(await page.evaluate(running), 0, `${name} moves`)
      t.true(await fits(page), `${name} is wider than the screen`)
      t.deepEqual(await page.evaluate(overflowing), [], `${name} has parts wider than their box`)
      t.deepEqual(await page.evaluate(cut), [], `${name} cuts off the words of a filter`)
      t.deepEqual(await page.evaluate(strayTimes), [], `${name} depends on the hour`)
      const shifted = (await page.evaluate(shifts)) as number
      t.true(shifted <= mostShifted, `${name} shifts by ${shifted}`)
      await compareWithKept(t, await pictureOf(page), { kept, name: `${look}-${name}` })
      if (name === 'job') await keep(page, `story-18-${look}`)
    }
    t.deepEqual(tab.faults, [])
    await context.close()
  })
}
