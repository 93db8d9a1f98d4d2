import test from 'ava'
import type { Browser, Page } from 'playwright-core'
import { plans } from '../../core/accounts/plans.ts'
import { film, renderPath } from '../api/gateway.ts'
import { keep, openBrowser, openTab, settled, signIn, sizes, until, visit } from './open-browser.ts'
import { openSite, type Site } from './site.ts'

/** Story 20: a customer of the free plan at work, and the sentences of its limits. */

const minutes = 10
const clickEverySeconds = 10
const mostPerMinute = 60

let site: Site
let limited: Site
let browser: Browser
test.before(async () => {
  // Ten minutes pass in one here, so the api itself must not count.
  site = await openSite({ rateLimits: 'off' })
  limited = await openSite({ rateLimits: 'on' })
  browser = await openBrowser()
})
test.after.always(async () => {
  await browser?.close()
  await site?.gateway.stop()
  await limited?.gateway.stop()
})

/** Clicks of a person who looks through everything, over and over. */
const clicks: readonly ((page: Page) => Promise<void>)[] = [
  ...['Jobs', 'Bulks', 'Templates', 'Webhooks', 'API keys', 'Credits', 'Settings', 'Overview'].map(
    (room) => async (page: Page) => await page.click(`nav >> text=${room}`),
  ),
  async (page) => await page.click('.rows a >> nth=0'),
  async (page) => await page.goBack().then(() => undefined),
  async (page) => await page.click('nav >> text=Jobs'),
  async (page) => {
    await page.selectOption('search select >> nth=0', 'queued')
  },
]

/** Keeps what the tab that holds the stream tells the others. */
const hear = `(() => {
  window.heard = []
  window.tabs = new BroadcastChannel('farm events')
  window.tabs.onmessage = ({ data: { event } }) => {
    if (event?.kind === 'job') window.heard.push(event.data.id + ' ' + event.data.state)
  }
})()`

test('ten minutes of clicks stay under 60 requests a minute', async (t) => {
  const { customer, signsIn } = await site.user()
  for (let i = 0; i < 3; i += 1) await customer.post(renderPath, { payload: film })
  const context = await browser.newContext({ viewport: sizes.desktop })
  const tab = await openTab(context)
  const { page } = tab
  let requests = 0
  page.on('request', (request) => {
    if (request.url().startsWith(`${site.origin}/api/`)) requests += 1
  })
  await page.clock.install()
  await signIn(tab, signsIn)
  await settled(page)
  await page.evaluate(hear)
  const counts: number[] = []
  for (let minute = 0; minute < minutes; minute += 1) {
    requests = 0
    for (let i = 0; i < 60 / clickEverySeconds; i += 1) {
      const click = clicks[(minute * 6 + i) % clicks.length]
      await click?.(page)
      await settled(page)
      // Jobs begin and end meanwhile, as a program's do. The page's time passes at once, so each is heard
      // before: the stream's own signs of life come by the clock on the wall.
      const { jobId } = (await customer.post(renderPath, { payload: film })).json()
      await until(page, `window.heard.includes('${jobId} queued')`)
      await page.clock.runFor((clickEverySeconds / 2) * 1_000)
      await customer.post(`/api/jobs/${jobId}/cancel`)
      await until(page, `window.heard.includes('${jobId} cancelled')`)
      await page.clock.runFor((clickEverySeconds / 2) * 1_000)
      await settled(page)
    }
    counts.push(requests)
  }
  t.true(Math.max(...counts) < mostPerMinute, counts.join(' '))
  t.true(Math.min(...counts) > 0, counts.join(' '))
  t.log(`requests a minute: ${counts.join(' ')}`)
  await context.close()
})

test('every limit that is met says the number of the plan', async (t) => {
  const { free } = plans
  const { customer, signsIn } = await limited.user()
  const payload = { ...film, name: 'Card' }
  const hook = { url: 'https://example.com/hook', events: ['render.failed'] }
  t.is((await customer.post('/api/webhooks', hook)).statusCode, 201)
  for (let i = 1; i < free.apiKeys; i += 1) await customer.post('/api/api-keys', { name: `k${i}` })
  const context = await browser.newContext({ viewport: sizes.desktop })
  const tab = await openTab(context)
  const { page } = tab
  await signIn(tab, signsIn)
  const told = async () => (await page.textContent('.toasts p:last-child')) ?? ''

  await visit(tab, `${limited.origin}/webhooks`)
  await page.click('.page-head button')
  await page.fill('input[name=url]', 'https://example.com/second')
  await page.click('dialog button[type=submit]')
  t.regex(await told(), new RegExp(`\\b${free.webhooks}\\b`))
  await keep(page, 'story-20-limit-of-webhooks')

  await visit(tab, `${limited.origin}/keys`)
  await page.click('.page-head button')
  await page.fill('dialog input[name=name]', 'one too many')
  await page.click('dialog button[type=submit]')
  t.regex(await told(), new RegExp(`\\b${free.apiKeys}\\b`))

  const { jobId } = (await customer.post(renderPath, { payload })).json()
  await customer.post(`/api/jobs/${jobId}/cancel`)
  await visit(tab, `${limited.origin}/jobs/${jobId}`)
  const token = await tokenOf(page)
  let status = 200
  while (status !== 429) {
    const reply = await fetch(`${limited.origin}/api/credits/balance`, {
      headers: { authorization: token },
    })
    status = reply.status
  }
  await page.click('nav >> text=Credits')
  await page.waitForSelector(`text=may send ${free.requestsPerMinute} requests a minute`)
  // Several requests of the page are refused at once; the person is told once.
  await until(
    page,
    'performance.getEntriesByType("resource").filter((each) => each.responseStatus === 429).length > 1',
  )
  t.is(await page.locator('.toasts p').count(), 1)
  await keep(page, 'story-20-limit-of-requests')
  await context.close()
})

/** Token that the page sends. */
async function tokenOf(page: Page): Promise<string> {
  const [request] = await Promise.all([
    page.waitForRequest((each) => each.headers().authorization !== undefined),
    page.reload(),
  ])
  return request.headers().authorization ?? ''
}
