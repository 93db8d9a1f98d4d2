import test from 'ava'
import type { BrowserContext, Page } from 'playwright-core'
import { setPlan } from '../../../store/db/accounts/set-plan.ts'
import { looksWell } from '../looks-well.ts'
import { keep, settled, until, visit } from '../open-browser.ts'
import { stageOfFile } from '../stage.ts'

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
async function withTable(table: string, payload: object = guests) {
  const { customer, signsIn } = await stage.site.user()
  const made = await customer.post('/api/templates', { name: 'Guests', payload })
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

/** Signs in where the page asks for it. */
async function comeBack(page: Page, { email, password }: { email: string; password: string }) {
  await page.fill('input[name=email]', email)
  await page.fill('input[name=password]', password)
  await page.click('button[type=submit]')
  await page.waitForSelector('.page-head')
  await settled(page)
}

test.serial('a table outlives the session in its tab, for its user alone', async (t) => {
  const { page, customer, signsIn, close } = await withTable('guest\nAda\nBob')
  const other = await stage.site.user()
  const button = page.getByRole('button', { name: 'Render 2 rows' })
  await button.waitFor()
  await page.getByLabel('guest of row 3').fill('Cleo')
  await page.getByLabel('guest of row 3').press('Tab')
  await endSession(signsIn)
  await button.click()
  await comeBack(page, signsIn)
  t.is(await page.getByLabel('guest of row 3').inputValue(), 'Cleo')
  await keep(page, 'new-bulk-back')
  await endSession(signsIn)
  await button.click()
  await comeBack(page, other.signsIn)
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
  await comeBack(page, signsIn)
  await button.click()
  await page.waitForURL('**/bulks/blk_*')
  const { bulks } = (await customer.get('/api/render/bulk')).json() as { bulks: unknown[] }
  t.like(bulks, [{ items: 2 }])
  t.is(bulks.length, 1)
  await close()
})

/** Keeps the rules for tables from coming until they are let through. */
async function withoutRules(context: BrowserContext) {
  let isGone = true
  await context.route('**/assets/judge-table-*.js', async (route) => {
    if (isGone) await route.fulfill({ status: 404 })
    else await route.continue()
  })
  return () => {
    isGone = false
  }
}

test.serial('a table that no rules came for is read again', async (t) => {
  const { context, page, close } = await withTable('')
  const letThrough = await withoutRules(context)
  await page.fill('textarea', 'guest\nAda')
  await page.waitForSelector('text=The table could not be read')
  t.is(await page.getByRole('button', { name: /^Render/ }).count(), 0)
  letThrough()
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.locator('button:enabled', { hasText: 'Render 1 row' }).waitFor()
  t.is(await page.locator('text=The table could not be read').count(), 0)
  await close()
})

test.serial('rows that cannot be checked say why, and can be checked again', async (t) => {
  const { context, page, signsIn, close } = await withTable('guest\nAda')
  const button = page.getByRole('button', { name: 'Render 1 row' })
  await button.waitFor()
  const letThrough = await withoutRules(context)
  await endSession(signsIn)
  await button.click()
  await comeBack(page, signsIn)
  await page.waitForSelector('text=The rows could not be checked')
  await keep(page, 'new-bulk-not-checked')
  t.true(await page.getByRole('button', { name: /^Render/ }).isDisabled())
  letThrough()
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.locator('button:enabled', { hasText: 'Render 1 row' }).waitFor()
  t.is(await page.locator('text=The rows could not be checked').count(), 0)
  await close()
})

const checked = `document.querySelector('progress[aria-label="Rows checked"]')?.value`

test.serial('ten thousand rows are checked beside the page, and changed', async (t) => {
  const { page, faults, close } = await withTable('')
  const rows = Array.from({ length: 10_000 }, (_, i) => `Guest ${i + 1}`)
  const table = Buffer.from(`guest\n${rows.join('\n')}\n`)
  const file = { name: 'guests.csv', mimeType: 'text/csv', buffer: table }
  await page.locator('input[type=file]').nth(1).setInputFiles(file)
  await until(page, `${checked} > 0 && ${checked} < 100`)
  await keep(page, 'new-bulk-many-rows')
  await page.getByRole('button', { name: 'Checking the rows…' }).waitFor()
  // The page goes to the last row meanwhile, and a changed cell begins the check anew.
  const list = page.getByLabel('Rows of the table')
  await list.focus()
  await page.keyboard.press('End')
  await page.getByLabel('guest of row 10001').fill('{{ nobody }}')
  await page.getByLabel('guest of row 10001').press('Tab')
  t.true((await list.locator('tbody tr').count()) <= 60)
  t.is(page.workers().length, 1)
  await page.getByRole('button', { name: 'Render the 9,999 faultless rows' }).waitFor()
  const told = await page.getByLabel('Faults of the table').textContent()
  t.regex(told ?? '', /1 fault to mend.*row 10001/)
  await page.getByLabel('guest of row 10001').fill('Zoë')
  await page.getByLabel('guest of row 10001').press('Tab')
  await page.getByRole('button', { name: 'Render 10,000 rows' }).waitFor()
  t.deepEqual(faults, [])
  await close()
})

test.serial('columns tell their values, and variables their types', async (t) => {
  const payload = {
    ...{ type: 'image', width: 320, height: 180 },
    variables: { seat: 1, speaker: true, event: { day: 'Friday', time: 19 } },
    visuals: [{ type: 'TEXT', text: '{{ guest }} {{ seat }} {{ speaker }} {{ event.time }}' }],
  }
  const { page, tab, close } = await withTable('', payload)
  await page.fill(
    'textarea',
    'guest,seat,speaker,event.time\nAda,1,TRUE,19\nBob,,no,20\nCleo,3,,7 pm',
  )
  await page.waitForSelector('text=row 4, event.time')
  const cells = async (nth: number) =>
    await page
      .locator(`section[aria-label="3. Columns"] tbody td:nth-child(${nth})`)
      .allInnerTexts()
  t.deepEqual(await cells(5), [
    ...['3 texts', '2 numbers, 1 empty', '1 true or false, 1 text, 1 empty', '2 numbers, 1 text'],
  ])
  const one = '1 cell is not'
  t.deepEqual(await cells(3), ['text', 'number', `true or false, but ${one}`, `number, but ${one}`])
  const options = page.getByLabel('Variable of the column event.time').locator('option')
  t.true((await options.allTextContents()).includes('event.time: number'))
  await looksWell(t, tab, 'new-bulk-types')
  const cell = page.getByLabel('event.time of row 4')
  t.is(await cell.getAttribute('aria-invalid'), 'true')
  await cell.fill('19.5')
  await page.getByLabel('speaker of row 3').fill('false')
  await page.getByLabel('speaker of row 3').press('Tab')
  const sent = page.waitForRequest((request) => request.method() === 'POST')
  await page.getByRole('button', { name: 'Render 3 rows' }).click()
  const { items } = (await sent).postDataJSON() as { items: { variables: object }[] }
  t.deepEqual(items[2]?.variables, { guest: 'Cleo', seat: 3, event: { day: 'Friday', time: 19.5 } })
  await close()
})

test.serial('a row is shown as the farm paints it, by its number', async (t) => {
  const { page, close } = await withTable('guest,name\nAda,the first\n,\nBob,the last')
  await page.getByRole('button', { name: 'Render 2 rows' }).waitFor()
  const asked = page.waitForRequest('**/api/render/preview')
  const number = page.getByLabel('Picture of a row')
  await number.fill('4')
  await number.press('Enter')
  t.like((await asked).postDataJSON(), { variables: { guest: 'Bob' } })
  await page.waitForSelector('text=Row 4: the last')
  await number.fill('3')
  await number.press('Enter')
  await page.waitForSelector('text=The table has no row 3 to render')
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
