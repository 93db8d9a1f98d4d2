import test, { type ExecutionContext } from 'ava'
import type { Browser } from 'playwright-core'
import { freePorts } from '../../../infra/local/ports.ts'
import { signIn as addUser, password } from '../../api/accounts.ts'
import { film, renderPath, startGateway } from '../../api/gateway.ts'
import {
  keep,
  openBrowser,
  openTab,
  settled,
  signIn,
  sizes,
  until,
  visit,
} from '../open-browser.ts'

/** Sessions and lost connections in a real browser, against gateways that come and go. */

const built = new URL('../../../out/dashboard', import.meta.url).pathname
const banner = `document.querySelector('.banner') !== null`

let browser: Browser
test.before(async () => {
  browser = await openBrowser()
})
test.after.always(async () => await browser?.close())

async function openGateway(t: ExecutionContext) {
  const port = (await freePorts(1))[0] ?? 0
  const origin = `http://127.0.0.1:${port}`
  const gateway = await startGateway({
    publicUrl: origin,
    dashboardFolder: built,
    rateLimits: 'off',
  })
  t.teardown(() => gateway.stop())
  const customer = await gateway.customer(1_000)
  const { email } = await addUser(gateway, customer.accountId)
  return { ...{ port, origin, gateway, customer }, user: { url: origin, email, password } }
}

test.serial('two tabs renew their token once in each of its lives', async (t) => {
  const { port, origin, gateway, user } = await openGateway(t)
  await gateway.server.listen({ port, host: '127.0.0.1' })
  const context = await browser.newContext({ viewport: sizes.desktop })
  t.teardown(() => context.close())
  await context.clock.install()
  let refreshes = 0
  context.on('request', (request) => {
    if (request.url().endsWith('/api/auth/refresh')) refreshes += 1
  })
  const [first, second] = [await openTab(context), await openTab(context)]
  const tabs = [first, second]
  await signIn(first, user)
  await visit(second, `${origin}/jobs`)
  t.is(refreshes, 0)
  const rooms = ['Credits', 'Templates', 'Bulks']
  for (const [at, room] of rooms.entries()) {
    await context.clock.fastForward(gateway.context.tokens.lifeSeconds * 1_000)
    // Both ask at once with a token that has ended.
    await Promise.all(tabs.map(({ page }) => page.click(`nav >> text=${room}`)))
    for (const { page } of tabs) {
      await page.waitForSelector(`h1:text-is("${room}")`)
      await settled(page)
      t.is(await page.locator('.fault, input[name=email]').count(), 0)
    }
    t.is(refreshes, at + 1)
  }
  await keep(second.page, 'story-13-three-lives-later')
  // Nothing that the second tab asks is answered: it hears of the end from the first one alone.
  await second.page.route('**/api/**', () => undefined)
  await first.page.click('text=Sign out')
  await second.page.waitForSelector('input[name=email]')
  t.is(refreshes, rooms.length)
})

test.serial('changes while the farm was away are shown when it is back', async (t) => {
  const { port, origin, gateway, customer, user } = await openGateway(t)
  await gateway.server.listen({ port, host: '127.0.0.1' })
  const context = await browser.newContext({ viewport: sizes.desktop })
  t.teardown(() => context.close())
  const tab = await openTab(context)
  await signIn(tab, user)
  await visit(tab, origin)
  await gateway.server.close()
  await until(tab.page, banner)
  const replica = await gateway.startReplica({ publicUrl: origin, dashboardFolder: built })
  t.teardown(() => replica.stop())
  const sent = await replica.server.inject({
    ...{ method: 'POST', url: renderPath, headers: { 'x-api-key': customer.key } },
    payload: { payload: { ...film, name: 'sent meanwhile' } },
  })
  t.is(sent.statusCode, 202)
  await replica.server.listen({ port, host: '127.0.0.1' })
  await tab.page.waitForSelector('text=sent meanwhile')
})
