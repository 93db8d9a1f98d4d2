import test from 'ava'
import type { Browser } from 'playwright-core'
import { freePorts } from '../../infra/local/ports.ts'
import { signIn as addUser, password } from '../api/accounts.ts'
import { type Gateway, startGateway } from '../api/gateway.ts'
import {
  axe,
  fits,
  keep,
  openBrowser,
  openTab,
  showsRoom,
  signIn,
  sizes,
  visit,
} from './open-browser.ts'

/** Every screen in a real browser against a real gateway, with rows of every kind. */

const built = new URL('../../out/dashboard', import.meta.url).pathname
const hostile = '<img src=x onerror=alert(1)>\u202e"\' 🎬'
const payload = {
  ...{ name: 'A film', width: 320, height: 180, duration: 1, variables: { guest: hostile } },
  visuals: [{ type: 'TEXT', text: 'Hello' }],
}

let gateway: Gateway
let browser: Browser
let origin: string

test.before(async () => {
  const port = (await freePorts(1))[0] ?? 0
  origin = `http://127.0.0.1:${port}`
  gateway = await startGateway({ publicUrl: origin, dashboardFolder: built, rateLimits: 'off' })
  await gateway.server.listen({ port, host: '127.0.0.1' })
  browser = await openBrowser()
})
test.after.always(async () => {
  await browser?.close()
  await gateway?.stop()
})

/** An account with a user, jobs, a bulk, a template, a webhook and a key, all with hostile names. */
async function seeded() {
  const customer = await gateway.customer(10_000)
  const { email } = await addUser(gateway, customer.accountId)
  const made = async (path: string, body: object) => {
    const reply = await customer.post(path, body)
    if (reply.statusCode >= 300) throw new Error(reply.body)
    return reply.json()
  }
  const template = await made('/api/templates', { name: hostile, payload })
  const job = await made('/api/render/api-key', { payload })
  const items = Array.from({ length: 30 }, (_, i) => ({ name: `Guest ${i}` }))
  const bulk = await made('/api/render/bulk/api-key', { payload, name: 'Guests', items })
  const hook = {
    url: 'https://example.com/hook',
    description: hostile,
    events: ['render.completed'],
  }
  const webhook = await made('/api/webhooks', hook)
  return {
    ...{ customer, email },
    screens: {
      overview: '/',
      jobs: '/jobs',
      job: `/jobs/${job.jobId}`,
      bulks: '/bulks',
      bulk: `/bulks/${bulk.bulkId}`,
      'new-bulk': `/bulks/new?template=${template.id}`,
      templates: '/templates',
      template: `/templates/${template.id}`,
      webhooks: '/webhooks',
      webhook: `/webhooks/${webhook.id}`,
      keys: '/keys',
      credits: '/credits',
      settings: '/settings',
      nowhere: '/no/such/page',
    },
  }
}

for (const colorScheme of ['light', 'dark'] as const) {
  for (const size of ['desktop', 'phone'] as const) {
    test.serial(`screens are accessible, ${colorScheme}, on a ${size}`, async (t) => {
      const { email, screens } = await seeded()
      const context = await browser.newContext({ viewport: sizes[size], colorScheme })
      const tab = await openTab(context)
      await tab.page.goto(origin)
      await tab.page.waitForSelector('input[name=email]')
      t.deepEqual(await axe(tab.page), [], 'sign-in')
      await signIn(tab, { url: origin, email, password })
      for (const [name, path] of Object.entries(screens)) {
        await visit(tab, origin + path)
        t.deepEqual(await axe(tab.page), [], name)
        t.true(await fits(tab.page), `${name} is wider than the screen`)
        t.true(await showsRoom(tab.page), `${name}: the menu hides its room`)
        await keep(tab.page, `screen-${name}-${size}-${colorScheme}`)
      }
      t.deepEqual(tab.faults, [])
      await context.close()
    })
  }
}

test.serial('names of strangers are text on every screen', async (t) => {
  const { email, screens } = await seeded()
  const context = await browser.newContext({ viewport: sizes.desktop })
  const tab = await openTab(context)
  const dialogs: string[] = []
  tab.page.on('dialog', (dialog) => dialogs.push(dialog.message()))
  await signIn(tab, { url: origin, email, password })
  for (const path of Object.values(screens)) {
    await visit(tab, origin + path)
    t.is(await tab.page.locator('img[onerror]').count(), 0)
  }
  await visit(tab, origin + screens.template)
  t.is(await tab.page.locator('h1').textContent(), hostile)
  await keep(tab.page, 'story-15-names-of-strangers')
  t.is(await tab.page.locator('input[name=guest]').inputValue(), hostile)
  t.deepEqual(dialogs, [])
  t.deepEqual(tab.faults, [])
  await context.close()
})

test.serial('a key is shown once, and nowhere after a reload', async (t) => {
  const { customer, email } = await seeded()
  const context = await browser.newContext({ viewport: sizes.desktop })
  const tab = await openTab(context)
  const { page } = tab
  await signIn(tab, { url: origin, email, password })
  await visit(tab, `${origin}/keys`)
  await page.click('text=New key')
  await page.fill('dialog input[name=name]', 'a program')
  await page.uncheck('dialog input[name=webhooks]')
  await page.fill('dialog input[name=cap]', '25')
  await page.click('dialog button[type=submit]')
  const key = await page.locator('.secret').textContent()
  t.regex(key ?? '', /^svc_[0-9a-f]{64}$/)
  // Neither Esc, twice, nor a click outside loses it.
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await page.mouse.click(5, 5)
  t.is(await page.locator('.secret').textContent(), key)
  await keep(page, 'story-10-key-shown-once')
  await page.click('text=I have kept it')
  await page.waitForSelector('text=0 of 25 credits spent')
  await page.reload()
  await page.waitForSelector('.row')
  const kept = await page.evaluate(
    'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href])',
  )
  t.false(String(kept).includes(key ?? ''))
  t.false((await page.content()).includes(key ?? ''))
  const asked = await fetch(`${origin}/api/webhooks`, { headers: { 'x-api-key': key ?? '' } })
  t.is(asked.status, 403)
  await page.locator('.row', { hasText: 'a program' }).locator('text=Revoke').click()
  await page.click('dialog button.danger')
  await page.waitForSelector('text=opens nothing any more')
  t.is((await fetch(`${origin}/api/jobs`, { headers: { 'x-api-key': key ?? '' } })).status, 401)
  t.is((await customer.get('/api/jobs')).statusCode, 200)
  await context.close()
})

test.serial('the addresses of another account show nothing of it', async (t) => {
  const mine = await seeded()
  const other = await seeded()
  const context = await browser.newContext({ viewport: sizes.desktop })
  const tab = await openTab(context)
  await signIn(tab, { url: origin, email: mine.email, password })
  for (const path of [
    other.screens.job,
    other.screens.bulk,
    other.screens.template,
    other.screens.webhook,
  ]) {
    await tab.page.goto(origin + path)
    const sentence = await tab.page.locator('.fault').first().textContent()
    t.regex(sentence ?? '', /must have a/, path)
    t.false((await tab.page.content()).includes('onerror'), path)
  }
  await context.close()
})
