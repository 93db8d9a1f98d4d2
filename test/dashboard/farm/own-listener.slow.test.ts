import test from 'ava'
import type { Browser } from 'playwright-core'
import { createOperatorServer } from '../../../api/server.ts'
import { freePorts } from '../../../infra/local/ports.ts'
import { addOperatorWithPassword, password } from '../../api/operator/operators.ts'
import { axe, keep, openBrowser, openTab, signIn, sizes, visit } from '../open-browser.ts'
import { openSite, type Site } from '../site.ts'
import { addNodes } from './site.ts'

/** The operators' pages on a listener of their own, beside the customers' one. */

let site: Site
let browser: Browser
let server: Awaited<ReturnType<typeof createOperatorServer>>
let own: string

test.before(async () => {
  const port = (await freePorts(1))[0] ?? 0
  own = `http://127.0.0.1:${port}`
  const operatorApi = { host: '127.0.0.1', port }
  site = await openSite({ operatorApi, operatorUrl: own })
  server = await createOperatorServer(site.gateway.context)
  await server.listen(operatorApi)
  browser = await openBrowser()
  await addNodes(site)
})
test.after.always(async () => {
  await browser?.close()
  await server?.close()
  await site?.gateway.stop()
})

test.serial('an operator signs in and works at the listener of operators', async (t) => {
  const { email } = await addOperatorWithPassword(site.gateway, 'operator')
  const tab = await openTab(await browser.newContext({ viewport: sizes.desktop }))
  await signIn(tab, { url: own, email, password })
  t.is(new URL(tab.page.url()).pathname, '/farm', 'its root leads to the pages')
  await visit(tab, `${own}/farm/nodes`)
  await tab.page.waitForSelector('tr:has-text("render-1")')
  t.deepEqual(await axe(tab.page), [])
  await keep(tab.page, 'farm-own-listener')
  // The cookie signs in again, and the way out leads to the customers' own address.
  await tab.page.reload()
  await tab.page.waitForSelector('.farm-me >> text=operator')
  const out = tab.page.locator('a:has-text("Customers’ pages")')
  t.is(await out.getAttribute('href'), site.origin)
  await tab.page.check('input[aria-label="Choose render-1"]')
  await tab.page.click('.bar button:text-is("Cordon")')
  await tab.page.fill('dialog input[name=why]', 'from their own listener')
  await tab.page.click('dialog button[type=submit]')
  await tab.page.waitForSelector('tr:has-text("render-1") .state:has-text("cordoned")')
  t.deepEqual(tab.faults, [])
})

test.serial('the customers’ address has neither their pages nor their API', async (t) => {
  for (const path of ['/farm', '/farm/nodes', '/api/operator/nodes']) {
    const reply = await fetch(site.origin + path, { headers: { accept: 'text/html' } })
    t.is(reply.status, 404, path)
    t.false((await reply.text()).includes('<div id="app">'), path)
  }
  t.is((await fetch(`${site.origin}/jobs`, { headers: { accept: 'text/html' } })).status, 200)
})

test.serial('the listener of operators has no page of customers', async (t) => {
  for (const path of ['/jobs', '/editor', '/farmers', '/docs', '/index.html/x', '/api/jobs']) {
    const reply = await fetch(own + path, { headers: { accept: 'text/html' } })
    t.is(reply.status, 404, path)
  }
})
