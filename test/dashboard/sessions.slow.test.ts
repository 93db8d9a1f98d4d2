import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import type { Browser } from 'playwright-core'
import { createDashboardTokens } from '../../api/account/dashboard-token.ts'
import { freePorts } from '../../infra/local/ports.ts'
import { signIn as addUser, password } from '../api/accounts.ts'
import { film, renderPath, startGateway } from '../api/gateway.ts'
import { openBrowser, openTab, signIn, sizes, until, visit } from './open-browser.ts'

/** Sessions and lost connections in a real browser, against gateways that come and go. */

const built = new URL('../../out/dashboard', import.meta.url).pathname
const banner = `document.querySelector('.banner') !== null`

let browser: Browser
test.before(async () => {
  browser = await openBrowser()
})
test.after.always(async () => await browser?.close())

async function openGateway() {
  const port = (await freePorts(1))[0] ?? 0
  const origin = `http://127.0.0.1:${port}`
  const gateway = await startGateway({
    publicUrl: origin,
    dashboardFolder: built,
    rateLimits: 'off',
  })
  const customer = await gateway.customer(1_000)
  const { email } = await addUser(gateway, customer.accountId)
  return { ...{ port, origin, gateway, customer }, user: { url: origin, email, password } }
}

test.serial('two tabs stay signed in over three lives of a token', async (t) => {
  const { port, origin, gateway, user } = await openGateway()
  // A token is renewed 30 s before its end: this one every two seconds.
  const short = createDashboardTokens(gateway.secret, 32)
  Object.assign(gateway.context.tokens, { make: short.make, lifeSeconds: short.lifeSeconds })
  await gateway.server.listen({ port, host: '127.0.0.1' })
  const context = await browser.newContext({ viewport: sizes.desktop })
  let refreshes = 0
  context.on('request', (request) => {
    if (request.url().endsWith('/api/auth/refresh')) refreshes += 1
  })
  const tabs = [await openTab(context), await openTab(context)]
  await signIn(tabs[0] as (typeof tabs)[number], user)
  for (let life = 1; life <= 3; life += 1) {
    await sleep(2_100)
    // Both ask at once with a token that has ended.
    await Promise.all(tabs.map((tab) => visit(tab, `${origin}/credits`)))
    for (const { page } of tabs) t.is(await page.locator('input[name=email]').count(), 0)
  }
  t.true(refreshes >= 3, `${refreshes} refreshes`)
  const [first, second] = tabs
  await first?.page.click('text=Sign out')
  await second?.page.waitForSelector('input[name=email]')
  await context.close()
  await gateway.stop()
})

test.serial('changes while the farm was away are shown when it is back', async (t) => {
  const { port, origin, gateway, customer, user } = await openGateway()
  await gateway.server.listen({ port, host: '127.0.0.1' })
  const context = await browser.newContext({ viewport: sizes.desktop })
  const tab = await openTab(context)
  await signIn(tab, user)
  await visit(tab, origin)
  await gateway.server.close()
  await until(tab.page, banner)
  const replica = await gateway.startReplica({ publicUrl: origin, dashboardFolder: built })
  const sent = await replica.server.inject({
    ...{ method: 'POST', url: renderPath, headers: { 'x-api-key': customer.key } },
    payload: { payload: { ...film, name: 'sent meanwhile' } },
  })
  t.is(sent.statusCode, 202)
  await replica.server.listen({ port, host: '127.0.0.1' })
  await tab.page.waitForSelector('text=sent meanwhile')
  await context.close()
  await replica.stop()
  await gateway.stop()
})
