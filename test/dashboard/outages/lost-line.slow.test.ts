import test from 'ava'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { freePorts } from '../../../infra/local/ports.ts'
import { film, renderPath } from '../../api/gateway.ts'
import { addNodes, openAs } from '../farm/site.ts'
import {
  axe,
  keep,
  openBrowser,
  openTab,
  signIn,
  sizes,
  stopTime,
  until,
  visit,
} from '../open-browser.ts'
import { openSite } from '../site.ts'
import { lineTo } from './line.ts'

/** Story 22: a network falls silent, without an end of any connection. Pages say so, and nothing moves. */

const banner = `document.querySelector('.banner') !== null`
const listed = `document.querySelectorAll('tbody a').length`
/** A pulse of the stream, and the time in which its absence is told. */
const pulseMs = 5_000
const mostMs = 3_000

let browser: Browser
test.before(async () => {
  browser = await openBrowser()
})
test.after.always(async () => await browser?.close())

/** Jobs of a customer, at an address whose line the test holds. The page's time stands. */
async function opened(t: { teardown(end: () => Promise<void>): void }) {
  const [port = 0] = await freePorts(1)
  const address = `http://127.0.0.1:${port}`
  const site = await openSite({ publicUrl: address })
  const line = await lineTo(site.origin, port)
  const { customer, signsIn } = await site.user()
  const context = await browser.newContext({ viewport: sizes.desktop })
  t.teardown(async () => {
    await context.close()
    line.close()
    await site.gateway.stop()
  })
  const tab = await openTab(context)
  await tab.page.clock.install()
  await signIn(tab, { ...signsIn, url: address })
  await visit(tab, `${address}/jobs`)
  const render = async (name: string) =>
    await customer.post(renderPath, { payload: { ...film, name } })
  // The stream is open once it has told of a job.
  await render('the first')
  await tab.page.waitForSelector('text=1 new job')
  await stopTime(tab.page)
  return { ...{ line, context, render, address }, page: tab.page }
}

const place = (page: Page) => page.locator('h1').boundingBox()

test('a silent line is told within three seconds of a missing pulse', async (t) => {
  const { line, page } = await opened(t)
  t.false(await page.evaluate(banner))
  const before = await place(page)
  line.hold()
  await page.clock.runFor(pulseMs + mostMs)
  await until(page, banner)
  await keep(page, 'story-19-silent-line')
  t.deepEqual(await place(page), before, 'the banner moves nothing')
  line.letGo()
  await page.clock.resume()
  await until(page, `!(${banner})`)
})

/** Colours of the page's content: all grey while what it shows is old. */
const filter = `getComputedStyle(document.querySelector('main')).filter`

test('a silent network greys the data and keeps what was typed', async (t) => {
  const { line, page, address, render } = await opened(t)
  await page.clock.resume()
  await visit({ page, faults: [] }, `${address}/keys`)
  await page.click('text=New key')
  await page.fill('dialog input[name=name]', 'typed before it fell silent')
  t.deepEqual([await page.evaluate(filter), await page.evaluate(banner)], ['none', false])
  line.hold()
  await until(page, banner)
  t.is(await page.evaluate(filter), 'grayscale(1)')
  t.true((await page.locator('main .row').count()) > 0, 'the old data stay')
  t.is(await page.inputValue('dialog input[name=name]'), 'typed before it fell silent')
  await keep(page, 'story-22-silent-network')
  t.deepEqual(await axe(page), [])
  await render('sent meanwhile')
  line.letGo()
  await until(page, `!(${banner})`)
  t.is(await page.evaluate(filter), 'none')
  t.is(await page.inputValue('dialog input[name=name]'), 'typed before it fell silent')
})

test('operators’ pages tell a silent network as well', async (t) => {
  const [port = 0] = await freePorts(1)
  const address = `http://127.0.0.1:${port}`
  const site = await openSite({ publicUrl: address, operatorApi: 'on' })
  const line = await lineTo(site.origin, port)
  await addNodes(site)
  const { page, context } = await openAs({ site: { ...site, origin: address }, browser }, 'viewer')
  t.teardown(async () => {
    await context.close()
    line.close()
    await site.gateway.stop()
  })
  await page.goto(`${address}/farm/nodes`)
  await page.waitForSelector('tbody tr')
  const rows = await page.locator('tbody tr').count()
  line.hold()
  await until(page, banner)
  t.is(await page.evaluate(filter), 'grayscale(1)')
  t.is(await page.locator('tbody tr').count(), rows)
  await keep(page, 'story-22-operators')
  line.letGo()
  await until(page, `!(${banner})`)
  t.is(await page.evaluate(filter), 'none')
})

test('a network that goes and comes is told without any wait', async (t) => {
  const { context, page, render } = await opened(t)
  await context.setOffline(true)
  await until(page, banner)
  t.is(await page.evaluate(listed), 0)
  await render('sent meanwhile')
  await context.setOffline(false)
  await until(page, `!(${banner})`)
  await page.clock.resume()
  await until(page, `${listed} === 2`)
})

test('lists are read anew only once the stream is back', async (t) => {
  const { context, page, render } = await opened(t)
  const { asked, letGo } = await withheld(context)
  await context.setOffline(true)
  await until(page, banner)
  await render('sent meanwhile')
  await context.setOffline(false)
  await until(page, `navigator.onLine`)
  await page.clock.resume()
  while (!asked.some((path) => path === '/api/events')) await page.waitForTimeout(20)
  t.true(await page.evaluate(banner), 'nothing has answered yet')
  t.is(await page.evaluate(listed), 0)
  letGo()
  await until(page, `!(${banner})`)
  await until(page, `${listed} === 2`)
})

/** Withholds the stream's next answers, and keeps the paths that are asked for. */
async function withheld(context: BrowserContext) {
  const { promise: isSeen, resolve: letGo } = Promise.withResolvers<void>()
  const asked: string[] = []
  context.on('request', (request) => asked.push(new URL(request.url()).pathname))
  await context.route('**/api/events*', async (route) => {
    await isSeen
    await route.continue().catch(() => undefined)
  })
  return { asked, letGo }
}
