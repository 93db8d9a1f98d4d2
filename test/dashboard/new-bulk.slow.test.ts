import test from 'ava'
import { setPlan } from '../../store/db/accounts/set-plan.ts'
import { keep, settled, visit } from './open-browser.ts'
import { stageOfFile } from './stage.ts'

/** New bulk sends the rows that it shows; the lists of bulks and templates have pages. */

const payload = {
  ...{ type: 'image', name: 'Card', width: 320, height: 180 },
  visuals: [{ type: 'TEXT', text: 'Hello' }],
}

const stage = stageOfFile()

const guests = {
  ...{ type: 'image', width: 320, height: 180, variables: { guest: 'nobody' } },
  visuals: [{ type: 'TEXT', text: '{{ guest }}' }],
}

/** Opens New bulk with a template and a pasted table, in a browser as on plain HTTP. */
async function withTable(table: string) {
  const { customer, signsIn } = await stage.site.user()
  const made = await customer.post('/api/templates', { name: 'Guests', payload: guests })
  // The button is in sight, where a mouse reaches it.
  const opened = await stage.signedIn(
    { signsIn },
    {
      viewport: { width: 1280, height: 2400 },
      script: 'delete Crypto.prototype.randomUUID',
    },
  )
  await visit(opened, `${stage.site.origin}/bulks/new?template=${made.json().id}`)
  await opened.page.click('summary:has-text("paste rows")')
  await opened.page.fill('textarea', table)
  return { ...opened, customer, signsIn }
}

test.serial('a cell changed right before the press is sent as changed', async (t) => {
  const { page, faults, customer, close } = await withTable('guest\nAda\nBob')
  const button = page.getByRole('button', { name: 'Render 2 rows' })
  await button.waitFor()
  await page.getByLabel('guest of row 2').fill('Cleo')
  const box = await button.boundingBox()
  const sent = page.waitForRequest((request) => request.method() === 'POST')
  // A press by mouse leaves the cell, which only then is changed.
  await page.mouse.click((box?.x ?? 0) + 20, (box?.y ?? 0) + 20)
  const { items } = (await sent).postDataJSON() as { items: { variables: object }[] }
  t.deepEqual(
    items.map(({ variables }) => variables),
    [{ guest: 'Cleo' }, { guest: 'Bob' }],
  )
  await page.waitForURL('**/bulks/blk_*')
  t.is((await customer.get('/api/render/bulk')).json().total, 1)
  t.deepEqual(faults, [])
  await close()
})

test.serial('a press waits for its rows, and sends no other number', async (t) => {
  const { page, customer, close } = await withTable('guest\nAda\nBob')
  const button = page.getByRole('button', { name: 'Render 2 rows' })
  await button.waitFor()
  await page.getByLabel('guest of row 3').fill('')
  const box = await button.boundingBox()
  await page.mouse.click((box?.x ?? 0) + 20, (box?.y ?? 0) + 20)
  await page.getByRole('button', { name: 'Render 1 row' }).click()
  await page.waitForURL('**/bulks/blk_*')
  const { bulks } = (await customer.get('/api/render/bulk')).json() as { bulks: unknown[] }
  t.like(bulks, [{ items: 1 }])
  t.is(bulks.length, 1)
  await close()
})

test.serial('a table that cannot be read leaves no rows to send', async (t) => {
  const { page, close } = await withTable('guest\nAda')
  await page.getByRole('button', { name: 'Render 1 row' }).waitFor()
  await page.fill('textarea', 'guest\n"Ada')
  await page.waitForSelector('.fault')
  t.is(await page.getByRole('button', { name: /^Render/ }).count(), 0)
  t.is(await page.getByLabel('guest of row 2').count(), 0)
  await close()
})

/** Ends the session from elsewhere, as another browser of the user does. */
async function endSession({ email, password }: { email: string; password: string }) {
  const send = async (method: string, path: string, init: { headers: object; body?: string }) =>
    await fetch(stage.site.origin + path, { method, ...init, headers: { ...init.headers } })
  const reply = await send('POST', '/api/auth/sign-in', {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  })
  const { accessToken } = (await reply.json()) as { accessToken: string }
  const headers = { authorization: `Bearer ${accessToken}` }
  await send('DELETE', '/api/auth/sessions', { headers })
}

test.serial('a table outlives the session in its tab, for its user alone', async (t) => {
  const { page, customer, signsIn, close } = await withTable('guest\nAda\nBob')
  const other = await stage.site.user()
  const button = page.getByRole('button', { name: 'Render 2 rows' })
  await button.waitFor()
  await page.getByLabel('guest of row 3').fill('Cleo')
  const come = async ({ email, password }: typeof signsIn) => {
    await page.fill('input[name=email]', email)
    await page.fill('input[name=password]', password)
    await page.click('button[type=submit]')
    await page.waitForSelector('.page-head')
    await settled(page)
  }
  await page.getByLabel('guest of row 3').press('Tab')
  await endSession(signsIn)
  await button.click()
  await page.waitForSelector('input[name=email]')
  await come(signsIn)
  t.is(await page.getByLabel('guest of row 3').inputValue(), 'Cleo')
  await keep(page, 'new-bulk-back')
  await endSession(signsIn)
  await button.click()
  await page.waitForSelector('input[name=email]')
  await come(other.signsIn)
  t.is(await page.getByLabel('guest of row 3').count(), 0)
  t.false((await page.content()).includes('Cleo'))
  t.is((await customer.get('/api/render/bulk')).json().total, 0)
  await close()
})

test.serial('a table that is back is sent as it was', async (t) => {
  const { page, customer, signsIn, close } = await withTable('guest\nAda\nBob')
  const button = page.getByRole('button', { name: 'Render 2 rows' })
  await button.waitFor()
  await endSession(signsIn)
  await button.click()
  await page.fill('input[name=email]', signsIn.email)
  await page.fill('input[name=password]', signsIn.password)
  await page.click('button[type=submit]')
  await button.click()
  await page.waitForURL('**/bulks/blk_*')
  const { bulks } = (await customer.get('/api/render/bulk')).json() as { bulks: unknown[] }
  t.like(bulks, [{ items: 2 }])
  t.is(bulks.length, 1)
  await close()
})

test.serial('rows that cannot be checked say why, and can be checked again', async (t) => {
  const { page, close } = await withTable('guest')
  let isGone = true
  await page.route('**/assets/judge-rows-*.js', async (route) => {
    if (isGone) await route.fulfill({ status: 404 })
    else await route.continue()
  })
  await page.fill('textarea', 'guest\nAda')
  await page.waitForSelector('text=The rows could not be checked')
  await keep(page, 'new-bulk-not-checked')
  t.true(await page.getByRole('button', { name: 'Render 1 row' }).isDisabled())
  isGone = false
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.locator('button:enabled', { hasText: 'Render 1 row' }).waitFor()
  t.is(await page.locator('text=The rows could not be checked').count(), 0)
  await close()
})

test.serial('older bulks and templates are on the pages after the first', async (t) => {
  const { customer, signsIn } = await stage.site.user()
  const sent = { payload, name: 'The oldest bulk', items: [{ name: 'Card' }] }
  await customer.post('/api/render/bulk/api-key', sent)
  await customer.post('/api/templates', { name: 'The oldest template', payload })
  for (let n = 1; n <= 50; n += 1) {
    await customer.post('/api/render/bulk/api-key', { ...sent, name: `Bulk ${n}` })
  }
  await setPlan(stage.site.gateway.db, { accountId: customer.accountId, plan: 'studio' })
  for (let n = 1; n <= 100; n += 1) {
    await customer.post('/api/templates', { name: `Template ${n}`, payload })
  }
  const { context, tab, page } = await stage.signedIn({ signsIn })
  for (const kind of ['bulk', 'template']) {
    await visit(tab, `${stage.site.origin}/${kind}s`)
    await page.waitForSelector('text=Page 1 of 2')
    t.is(await page.locator(`text=The oldest ${kind}`).count(), 0)
    await page.click('button:text-is("Older")')
    await page.waitForSelector(`text=The oldest ${kind}`)
    await page.click('button:text-is("Newer")')
    await page.waitForSelector('text=Page 1 of 2')
    await visit(tab, `${stage.site.origin}/${kind}s?page=999999999`)
    await page.waitForSelector('text=The list ends before page 1000000.')
    t.is(await page.locator('.rows').count(), 0)
    await page.click('text=Go to its last page')
    await page.waitForSelector(`text=The oldest ${kind}`)
  }
  // Each bulk and template above has held or cost nothing; the ledger has one page.
  await visit(tab, `${stage.site.origin}/credits?page=999`)
  await page.click('text=Go to its last page')
  await page.waitForSelector('tbody tr')
  t.is(await page.locator('text=The list ends').count(), 0)
  t.deepEqual(tab.faults, [])
  await context.close()
})
