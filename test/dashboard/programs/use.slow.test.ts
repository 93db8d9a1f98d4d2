import test from 'ava'
import { createKey } from '../../../store/db/accounts/create-key.ts'
import { looksWell } from '../looks-well.ts'
import { until, visit } from '../open-browser.ts'
import { stageOfFile } from '../stage.ts'

/** Use of templates, keys and credits, in a real browser against a real gateway. */

const payload = { width: 320, height: 180, duration: 1, visuals: [{ type: 'TEXT', text: 'Hello' }] }

const stage = stageOfFile()

/** A picture that the browser can show, 1 px wide. */
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)

test.serial('templates show picture and use, are copied and made bulks of', async (t) => {
  const { customer, tab, page, close } = await stage.newcomer()
  const { accountId, post } = customer
  const { id } = (await post('/api/templates', { name: 'Invitation', payload })).json()
  const { jobId } = (await post('/api/render/api-key', { template: id })).json()
  const key = `accounts/${accountId}/jobs/${jobId}/thumbnail`
  await stage.site.gateway.objects.put(key, pixel)
  const { db } = stage.site.gateway
  await db.updateTable('jobs').set({ thumbnail_key: key }).where('id', '=', jobId).execute()

  await visit(tab, `${stage.site.origin}/templates`)
  await page.waitForSelector('text=1 job in 30 days')
  await until(page, `document.querySelector('.row img')?.naturalWidth === 1`)
  await page.click('text=Duplicate')
  await page.waitForSelector('text=Invitation (copy)')
  await page.waitForSelector('text=0 jobs in 30 days')
  await looksWell(t, tab, 'use-templates')
  await page.locator('.row', { hasText: '1 job in' }).locator('text=Make a bulk').click()
  await page.waitForURL(`**/bulks/new?template=${id}`)
  await page.waitForSelector('text=Chosen: Invitation')
  t.deepEqual(tab.faults, [])
  await close()
})

test.serial('a key shows its use, and its revocation what it did', async (t) => {
  const { customer, tab, page, close } = await stage.newcomer()
  const { accountId } = customer
  const { id, key } = await createKey(stage.site.gateway.db, { accountId, name: 'nightly' })
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  const body = JSON.stringify({ payload: { ...payload, name: 'poster' } })
  for (let i = 0; i < 3; i += 1) {
    const sent = await fetch(`${stage.site.origin}/api/render/api-key`, {
      method: 'POST',
      headers,
      body,
    })
    t.is(sent.status, 202)
  }
  await stage.site.gateway.context.keyUsage.stop()
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)
  const used = [1, 2, 5, 9, 20].map((ago) => ({
    ...{ key_id: id, account_id: accountId, day: day(ago), requests: ago * 3 },
  }))
  await stage.site.gateway.db.insertInto('api_key_usage').values(used).execute()

  await visit(tab, `${stage.site.origin}/keys`)
  await page.waitForSelector('text=114 requests in 30 days')
  await looksWell(t, tab, 'use-keys')
  await page.locator('.row', { hasText: 'nightly' }).locator('text=Revoke').click()
  await page.waitForSelector('text=In the last hour it submitted 3 jobs')
  t.is(await page.textContent('.used-by'), 'poster')
  await looksWell(t, tab, 'use-revoke')
  await page.click('text=Keep it')
  t.deepEqual(tab.faults, [])
  await close()
})

test.serial('the ledger shows the balance after each entry', async (t) => {
  const { customer, tab, page, close } = await stage.newcomer()
  const { jobId } = (await customer.post('/api/render/api-key', { payload })).json()
  await customer.post(`/api/jobs/${jobId}/cancel`)
  await visit(tab, `${stage.site.origin}/credits`)
  await page.waitForSelector('th:text("Balance")')
  const balances = await page.locator('.wide tbody tr td:nth-child(5)').allTextContents()
  t.deepEqual(balances, ['10,000', '10,000', '10,000'])
  await looksWell(t, tab, 'use-credits')
  t.deepEqual(tab.faults, [])
  await close()
})
