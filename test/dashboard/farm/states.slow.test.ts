import test from 'ava'
import type { Browser } from 'playwright-core'
import { inBothThemes } from '../looks-well.ts'
import { failRequests, openBrowser, visit } from '../open-browser.ts'
import type { Site } from '../site.ts'
import { openAs, openFarmSite } from './site.ts'

/** Operators' pages of a farm that has nothing, and of one that fails. */

const id = '00000000-0000-4000-8000-000000000036'
const lists = {
  ...{ now: '/farm', nodes: '/farm/nodes', pools: '/farm/pools', queue: '/farm/queue' },
  ...{ jobs: '/farm/jobs', accounts: '/farm/accounts', alerts: '/farm/alerts' },
  ...{ maintenance: '/farm/maintenance', quarantines: '/farm/quarantines' },
  ...{ certificates: '/farm/certificates', audit: '/farm/audit', charts: '/farm/charts' },
}
/** Addresses of things that the farm does not have. */
const unknown = {
  ...{ node: `/farm/nodes/${id}`, job: `/farm/jobs/${id}`, log: `/farm/tasks/${id}` },
  account: `/farm/accounts/${id}`,
}

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

test.serial('operators’ pages without anything on them are accessible', async (t) => {
  const tab = await openAs({ site, browser }, 'admin')
  for (const [name, path] of Object.entries(lists)) {
    await visit(tab, site.origin + path)
    await inBothThemes(t, tab.page, { name: `farm-empty-${name}` })
  }
  t.deepEqual(tab.faults, [])
  await tab.context.close()
})

test.serial('operators’ pages that say what failed are accessible', async (t) => {
  const tab = await openAs({ site, browser }, 'admin')
  for (const [name, path] of Object.entries(unknown)) {
    await visit(tab, site.origin + path)
    await tab.page.waitForSelector('.fault')
    await inBothThemes(t, tab.page, { name: `farm-unknown-${name}` })
  }
  await failRequests(tab.page)
  for (const [name, path] of Object.entries(lists)) {
    await visit(tab, site.origin + path)
    await tab.page.waitForSelector('.fault')
    await inBothThemes(t, tab.page, { name: `farm-failed-${name}` })
  }
  await tab.context.close()
})
