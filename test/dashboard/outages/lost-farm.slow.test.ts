import test from 'ava'
import type { Browser } from 'playwright-core'
import { film, renderPath } from '../../api/gateway.ts'
import {
  keep,
  openBrowser,
  openTab,
  putBehind,
  signIn,
  sizes,
  stopTime,
  until,
  visit,
} from '../open-browser.ts'
import { openSite } from '../site.ts'
import { lineTo } from './line.ts'

/** Story 19: the farm, its database, the session or the clock goes away, and nothing is lost or doubled. */

const banner = `document.querySelector('.banner') !== null`
const listed = `document.querySelectorAll('tbody a').length`
const again = 'button:text-is("Render again")'
const isSignedOut = `document.querySelector('input[name=email]') !== null`

let browser: Browser
test.before(async () => {
  browser = await openBrowser()
})
test.after.always(async () => await browser?.close())

/** A site of the test's own, with a signed-in page whose clock the test can hold. */
async function opened(t: { teardown(end: () => Promise<void>): void }) {
  const site = await openSite()
  t.teardown(async () => await site.gateway.stop())
  const { customer, signsIn } = await site.user()
  const context = await browser.newContext({ viewport: sizes.desktop })
  t.teardown(async () => await context.close())
  const tab = await openTab(context)
  await tab.page.clock.install()
  await signIn(tab, signsIn)
  return { site, customer, signsIn, context, tab, page: tab.page }
}

test('a farm that comes back has lost no form', async (t) => {
  const { site, customer, tab, page } = await opened(t)
  await visit(tab, `${site.origin}/keys`)
  await page.click('text=New key')
  await page.fill('dialog input[name=name]', 'typed before it went')
  t.false(await page.evaluate(banner))

  await site.gateway.server.close()
  await until(page, banner)
  await keep(page, 'story-19-lost')
  const failed = page.waitForEvent('requestfailed', (request) => request.method() === 'POST')
  await page.click('dialog button[type=submit]')
  await failed
  await stopTime(page)
  t.is(await page.inputValue('dialog input[name=name]'), 'typed before it went')

  const replica = await site.restart()
  await page.clock.resume()
  await until(page, `!(${banner})`)
  // The key that was asked for while the farm was away is made once, by the client's repetitions.
  await page.waitForSelector('.secret')
  await page.click('text=I have kept it')
  const headers = { 'x-api-key': customer.key }
  const reply = await fetch(`${site.origin}/api/api-keys`, { headers })
  const { apiKeys } = (await reply.json()) as { apiKeys: { name: string }[] }
  t.is(apiKeys.filter(({ name }) => name === 'typed before it went').length, 1)
  await replica.stop()
})

test('a list stays while the farm is away, and is right afterwards', async (t) => {
  const { site, customer, tab, page } = await opened(t)
  for (let i = 0; i < 3; i += 1) await customer.post(renderPath, { payload: film })
  await visit(tab, `${site.origin}/jobs`)
  await until(page, `${listed} === 3`)
  await page.locator('tbody a').first().focus()
  await site.gateway.server.close()
  await until(page, banner)
  t.is(await page.evaluate(listed), 3)

  // Another api takes a job meanwhile: one that came after the list is read would only be counted.
  const other = await site.gateway.startReplica({ publicUrl: site.origin })
  const sent = await other.server.inject({
    ...{ method: 'POST', url: renderPath, headers: { 'x-api-key': customer.key } },
    payload: { payload: { ...film, name: 'sent meanwhile' } },
  })
  t.is(sent.statusCode, 202)
  const replica = await site.restart()
  await until(page, `!(${banner})`)
  await until(page, `${listed} === 4`)
  // The keyboard is still in the list.
  t.is(await page.evaluate(`document.activeElement?.closest('.virtual') !== null`), true)
  await replica.stop()
  await other.stop()
})

test('an absent database makes no job twice, and none is lost', async (t) => {
  const { site, customer, tab, page } = await opened(t)
  const { jobId } = (await customer.post(renderPath, { payload: film })).json()
  await customer.post(`/api/jobs/${jobId}/cancel`)
  const line = await lineTo(site.gateway.databaseUrl)
  await site.gateway.server.close()
  const replica = await site.restart({ databaseUrl: line.url })
  await visit(tab, `${site.origin}/jobs/${jobId}`)
  line.cut()
  const refused = page.waitForResponse((reply) => reply.request().method() === 'POST')
  await page.dblclick(again, { delay: 20 })
  t.is((await refused).status(), 503)
  await stopTime(page)
  await keep(page, 'story-19-database-away')
  line.mend()
  await page.clock.resume()
  await page.waitForURL((url) => url.pathname.startsWith('/jobs/') && !url.href.includes(jobId))
  await page.waitForSelector('.page-head .state')
  const headers = { 'x-api-key': customer.key }
  const reply = await fetch(`${site.origin}/api/jobs`, { headers })
  t.is(((await reply.json()) as { total: number }).total, 2)
  await replica.stop()
  line.close()
})

test('an answer that is lost makes one job of one click', async (t) => {
  const { site, customer, tab, page } = await opened(t)
  const { jobId } = (await customer.post(renderPath, { payload: film })).json()
  await customer.post(`/api/jobs/${jobId}/cancel`)
  await visit(tab, `${site.origin}/jobs/${jobId}`)
  const keys: (string | undefined)[] = []
  await page.route('**/api/jobs/*/retry', async (route) => {
    keys.push(route.request().headers()['idempotency-key'])
    const response = await route.fetch()
    if (keys.length > 1) return await route.fulfill({ response })
    t.is(response.status(), 202)
    await route.abort('connectionreset')
  })
  await page.click(again)
  await page.waitForURL((url) => !url.href.includes(jobId))
  t.is(keys.length, 2)
  t.truthy(keys[0])
  t.is(keys[0], keys[1])
  t.is((await customer.get('/api/jobs')).json().total, 2)
})

test('a session that is ended elsewhere leads to the form, and back', async (t) => {
  const { site, signsIn, tab, page } = await opened(t)
  await visit(tab, `${site.origin}/credits`)
  const elsewhere = await browser.newContext({ viewport: sizes.desktop })
  const other = await openTab(elsewhere)
  await signIn(other, signsIn)
  await visit(other, `${site.origin}/settings`)
  await other.page.click('text=End all others')
  await other.page.waitForSelector('text=All other sessions are ended')
  await elsewhere.close()
  await page.click('nav >> text=Templates')
  await until(page, isSignedOut)
  t.false(await page.evaluate(banner))
  await keep(page, 'story-19-session-ended')
  await page.fill('input[name=email]', signsIn.email)
  await page.fill('input[name=password]', signsIn.password)
  await page.click('button[type=submit]')
  await page.waitForSelector('.page-head')
  t.is(new URL(page.url()).pathname, '/templates')
})

test('signing out without the farm is told, and hides nothing', async (t) => {
  const { site, tab, page } = await opened(t)
  await visit(tab, `${site.origin}/credits`)
  await site.gateway.server.close()
  await until(page, banner)
  await page.click('nav >> text=Sign out')
  await page.waitForSelector('text=You are still signed in: the farm cannot be reached.')
  t.false(await page.evaluate(isSignedOut))
  const replica = await site.restart()
  await until(page, `!(${banner})`)
  await page.click('nav >> text=Sign out')
  await until(page, isSignedOut)
  await replica.stop()
})

test('an hour of sleep signs nobody out, and leaves nothing stale', async (t) => {
  const { site, customer, context, tab, page } = await opened(t)
  await visit(tab, `${site.origin}/jobs`)
  let refreshes = 0
  context.on('request', (request) => {
    if (request.url().endsWith('/api/auth/refresh')) refreshes += 1
  })
  // A laptop that sleeps hears nothing: the network goes first.
  await context.setOffline(true)
  await customer.post(renderPath, { payload: { ...film, name: 'sent while it slept' } })
  await page.clock.fastForward('01:00:00')
  await context.setOffline(false)
  await page.waitForSelector('text=sent while it slept')
  await until(page, `!(${banner})`)
  t.false(await page.evaluate(isSignedOut))
  t.true(refreshes >= 1)
})

test('a tab that comes to the front tells the time of now', async (t) => {
  const { site, customer, tab, page } = await opened(t)
  await customer.post(renderPath, { payload: film })
  await visit(tab, `${site.origin}/jobs`)
  const told = `document.querySelector('tbody time').textContent`
  await until(page, `/sec|now/.test(${told})`)
  await putBehind(page, true)
  await page.clock.fastForward('05:00')
  await stopTime(page)
  t.regex(await page.evaluate(told), /sec|now/, 'a tab behind draws nothing')
  await putBehind(page, false)
  // Its clock stands, so no later beat mends it.
  await until(page, `/5 min/.test(${told})`)
  t.deepEqual(tab.faults, [])
})

test('a page that did not load comes when the farm is back', async (t) => {
  const { site, tab, page } = await opened(t)
  await visit(tab, `${site.origin}/jobs`)
  await site.gateway.server.close()
  await until(page, banner)
  await page.click('nav >> text=Webhooks')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.waitForSelector('text=The farm did not send the page.')
  await keep(page, 'story-19-page-not-loaded')
  const replica = await site.restart()
  await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor()
  t.false(await page.evaluate(banner))
  await replica.stop()
})

test('a page whose file an upgrade removed reloads the tab once', async (t) => {
  const { site, tab, page } = await opened(t)
  await visit(tab, `${site.origin}/jobs`)
  let isGone = true
  await page.route('**/assets/webhooks-*.js', async (route) => {
    if (isGone) await route.fulfill({ status: 404 })
    else await route.continue()
  })
  let loads = 0
  page.on('domcontentloaded', () => {
    loads += 1
  })
  await page.click('nav >> text=Webhooks')
  await page.waitForSelector('text=The farm did not send the page.')
  t.is(loads, 1)
  isGone = false
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor()
  t.is(loads, 1)
})
