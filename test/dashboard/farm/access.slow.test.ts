import { randomUUID } from 'node:crypto'
import test from 'ava'
import type { Browser } from 'playwright-core'
import { insertAccess } from '../../../store/db/access/insert-access.ts'
import { axe, keep, openBrowser, visit } from '../open-browser.ts'
import type { Site } from '../site.ts'
import { hostile, openAs, openFarmSite } from './site.ts'

/** The page on which operators search requests. */

let site: Site
let browser: Browser

test.before(async () => {
  site = await openFarmSite()
  browser = await openBrowser()
})
test.after.always(async () => {
  await browser?.close()
  await site?.gateway.stop()
})

/** Adds requests of a new account with a hostile name, one a second, the last of them just now. */
async function addRequests(count: number) {
  const { db, customer } = site.gateway
  const { accountId, key } = await customer()
  await db.updateTable('accounts').set({ name: hostile }).where('id', '=', accountId).execute()
  const records = Array.from({ length: count }, (_, at) => ({
    ...{ at: new Date(Date.now() - at * 1000).toISOString(), requestId: randomUUID() },
    ...{ method: 'GET', path: `/api/jobs/${at}`, status: at === 3 ? 404 : 200, ms: 2, bytes: 9 },
    ...{ remote: `203.0.113.${at % 200}`, account: accountId, key: key.slice(0, 12) },
    ...{ userId: null, agentId: null, operatorId: null, tool: null, made: null, aborted: false },
  }))
  await insertAccess(db, records)
  return { accountId, key, records }
}

test.serial('requests are found by filters that stand in the address', async (t) => {
  const { accountId, key, records } = await addRequests(10)
  const tab = await openAs({ site, browser }, 'operator')
  const { page } = tab
  const rows = (count: number) => page.waitForSelector(`.page-head >> text=${count} read`)
  await visit(tab, `${site.origin}/farm/access?account=${accountId}`)
  await rows(10)
  t.is(await page.locator('img[onerror]').count(), 0)
  await page.fill('input[name=status]', '4xx')
  await page.keyboard.press('Enter')
  await rows(1)
  t.regex(page.url(), /status=4xx/)
  await page.goBack()
  await rows(10)
  // No more of a key than is shown anywhere gets into the address.
  await visit(tab, `${site.origin}/farm/access`)
  await page.fill('input[name=key]', key)
  await page.keyboard.press('Enter')
  await rows(10)
  t.false(page.url().includes(key))
  t.true(page.url().includes(key.slice(0, 12)))
  const [, second] = records
  await page.click(`a:has-text("${second?.path}")`)
  await rows(1)
  t.true((await page.textContent('tbody'))?.includes(second?.requestId ?? '?'))
  await visit(tab, `${site.origin}/farm/access?address=nowhere`)
  await page.waitForSelector('text=address must be an IP address')
  await tab.context.close()
})

test.serial('the list of requests goes to its last page', async (t) => {
  const { accountId } = await addRequests(250)
  const tab = await openAs({ site, browser }, 'operator')
  const { page } = tab
  await visit(tab, `${site.origin}/farm/access?account=${accountId}`)
  await page.focus('tbody tr[data-index="0"] a')
  for (const read of ['200 read', '250 read, which are all']) {
    await page.keyboard.press('End')
    await page.waitForSelector(`.page-head >> text=${read}`)
  }
  t.true((await page.locator('tbody tr').count()) < 60)
  t.deepEqual(await axe(page), [])
  await keep(page, 'farm-access')
  t.deepEqual(tab.faults, [])
  await tab.context.close()
})

test.serial('a viewer is not led to requests, and reads none', async (t) => {
  const tab = await openAs({ site, browser }, 'viewer')
  await visit(tab, `${site.origin}/farm/access`)
  await tab.page.waitForSelector('text=The operator’s role must be operator')
  t.is(await tab.page.locator('nav a:has-text("Requests")').count(), 0)
  await tab.context.close()
})
