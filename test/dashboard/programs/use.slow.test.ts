import test from 'ava'
import type { Browser } from 'playwright-core'
import { createKey } from '../../../store/db/accounts/create-key.ts'
import {
  axe,
  fits,
  keep,
  openBrowser,
  openTab,
  signIn,
  sizes,
  until,
  visit,
} from '../open-browser.ts'
import { openSite, type Site } from '../site.ts'

/** Use of templates, keys and credits, in a real browser against a real gateway. */

const payload = { width: 320, height: 180, duration: 1, visuals: [{ type: 'TEXT', text: 'Hello' }] }

let site: Site
let browser: Browser
test.before(async () => {
  site = await openSite()
  browser = await openBrowser()
})
test.after.always(async () => {
  await browser?.close()
  await site?.gateway.stop()
})

type Looking = Awaited<ReturnType<typeof signedIn>>

async function signedIn() {
  const { customer, signsIn } = await site.user()
  const context = await browser.newContext({ viewport: sizes.desktop })
  const tab = await openTab(context)
  await signIn(tab, signsIn)
  return { customer, context, tab, page: tab.page }
}

/** Looks at a page in both themes and both sizes. */
async function looksWell(t: { deepEqual: CallableFunction }, { page }: Looking, name: string) {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const [size, viewport] of Object.entries(sizes)) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize(viewport)
      await keep(page, `use-${name}-${size}-${colorScheme}`)
      t.deepEqual([await axe(page), await fits(page)], [[], true], `${name} ${size} ${colorScheme}`)
    }
  }
  await page.setViewportSize(sizes.desktop)
}

/** A picture that the browser can show, 1 px wide. */
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)

test.serial('templates show picture and use, are copied and made bulks of', async (t) => {
  const looking = await signedIn()
  const { customer, context, tab, page } = looking
  const { accountId, post } = customer
  const { id } = (await post('/api/templates', { name: 'Invitation', payload })).json()
  const { jobId } = (await post('/api/render/api-key', { template: id })).json()
  const key = `accounts/${accountId}/jobs/${jobId}/thumbnail`
  await site.gateway.objects.put(key, pixel)
  const { db } = site.gateway
  await db.updateTable('jobs').set({ thumbnail_key: key }).where('id', '=', jobId).execute()

  await visit(tab, `${site.origin}/templates`)
  await page.waitForSelector('text=1 job in 30 days')
  await until(page, `document.querySelector('.row img')?.naturalWidth === 1`)
  await page.click('text=Duplicate')
  await page.waitForSelector('text=Invitation (copy)')
  await page.waitForSelector('text=0 jobs in 30 days')
  await looksWell(t, looking, 'templates')
  await page.locator('.row', { hasText: '1 job in' }).locator('text=Make a bulk').click()
  await page.waitForURL(`**/bulks/new?template=${id}`)
  await page.waitForSelector('text=Chosen: Invitation')
  t.deepEqual(tab.faults, [])
  await context.close()
})

test.serial('a key shows its use, and its revocation what it did', async (t) => {
  const looking = await signedIn()
  const { customer, context, tab, page } = looking
  const { accountId } = customer
  const { id, key } = await createKey(site.gateway.db, { accountId, name: 'nightly' })
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  const body = JSON.stringify({ payload: { ...payload, name: 'poster' } })
  for (let i = 0; i < 3; i += 1) {
    const sent = await fetch(`${site.origin}/api/render/api-key`, { method: 'POST', headers, body })
    t.is(sent.status, 202)
  }
  await site.gateway.context.keyUsage.stop()
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)
  const used = [1, 2, 5, 9, 20].map((ago) => ({
    ...{ key_id: id, account_id: accountId, day: day(ago), requests: ago * 3 },
  }))
  await site.gateway.db.insertInto('api_key_usage').values(used).execute()

  await visit(tab, `${site.origin}/keys`)
  await page.waitForSelector('text=114 requests in 30 days')
  await looksWell(t, looking, 'keys')
  await page.locator('.row', { hasText: 'nightly' }).locator('text=Revoke').click()
  await page.waitForSelector('text=In the last hour it submitted 3 jobs')
  t.is(await page.textContent('.used-by'), 'poster')
  await looksWell(t, looking, 'revoke')
  await page.click('text=Keep it')
  t.deepEqual(tab.faults, [])
  await context.close()
})

test.serial('the ledger shows the balance after each entry', async (t) => {
  const looking = await signedIn()
  const { customer, context, tab, page } = looking
  const { jobId } = (await customer.post('/api/render/api-key', { payload })).json()
  await customer.post(`/api/jobs/${jobId}/cancel`)
  await visit(tab, `${site.origin}/credits`)
  await page.waitForSelector('th:text("Balance")')
  const balances = await page.locator('.wide tbody tr td:nth-child(5)').allTextContents()
  t.deepEqual(balances, ['10,000', '10,000', '10,000'])
  await looksWell(t, looking, 'credits')
  t.deepEqual(tab.faults, [])
  await context.close()
})
