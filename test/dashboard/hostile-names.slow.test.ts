import { readFile } from 'node:fs/promises'
import test from 'ava'
import { parse } from 'csv-parse/sync'
import { screensLookWell } from './looks-well.ts'
import { keep, sizes, visit } from './open-browser.ts'
import { addOneOfEverything, stageOfFile } from './stage.ts'

/** Story 15: names of a thousand characters, addresses that are scripts, cells that are formulas. */

const stage = stageOfFile()
const payload = {
  ...{ name: 'A film', width: 320, height: 180, duration: 1, variables: { guest: 'Ada' } },
  visuals: [{ type: 'TEXT', text: 'Hello' }],
}
/** One word, so that no line can end in it. */
const longName = `${'W'.repeat(990)}\u202e<b>🎬`
const script = 'javascript:alert(document.domain)'

/** An account with one of everything, whose names and addresses are as rows of another time may be. */
async function seeded() {
  const user = await stage.site.user()
  const { accountId } = user.customer
  const screens = await addOneOfEverything(user.customer, {
    ...{ payload, items: [{ name: 'one' }, { name: 'two' }] },
  })
  const { db } = stage.site.gateway
  for (const table of ['templates', 'jobs', 'bulks', 'api_keys'] as const) {
    await db
      .updateTable(table)
      .set({ name: longName })
      .where('account_id', '=', accountId)
      .execute()
  }
  const changed = { url: script, description: longName }
  await db.updateTable('webhooks').set(changed).where('account_id', '=', accountId).execute()
  return { ...user, screens }
}

const links = `[...document.querySelectorAll('[href], [src], [action]')].flatMap((element) =>
  ['href', 'src', 'action'].map((name) => element.getAttribute(name) ?? '')).filter(
  (address) => /^\\s*(?:javascript|vbscript|data:text)/i.test(address))`

for (const size of ['desktop', 'phone'] as const) {
  test.serial(`names of a thousand characters leave screens whole, ${size}`, async (t) => {
    const user = await seeded()
    const tab = await stage.signedIn(user, { viewport: sizes[size] })
    const { origin } = stage.site
    const kept = (name: string) => `story-15-long-${name}-${size}`
    await screensLookWell(t, tab, { origin, screens: user.screens, kept })
    for (const path of Object.values(user.screens)) {
      await visit(tab, origin + path)
      t.deepEqual(await tab.page.evaluate(links), [], path)
    }
    t.deepEqual(tab.faults, [])
    await tab.close()
  })
}

test.serial('a webhook whose address is a script is text, and runs nothing', async (t) => {
  const user = await seeded()
  const refused = await user.customer.post('/api/webhooks', {
    ...{ url: script, events: ['render.failed'] },
  })
  t.is(refused.statusCode, 400)
  const tab = await stage.signedIn(user)
  const { page } = tab
  const dialogs: string[] = []
  page.on('dialog', (dialog) => dialogs.push(dialog.message()))
  await visit(tab, stage.site.origin + user.screens.webhook)
  await page.getByText(script).first().click()
  t.is(await page.locator('a', { hasText: script }).count(), 0)
  t.deepEqual(await page.evaluate(links), [])
  t.deepEqual(dialogs, [])
  t.deepEqual(tab.faults, [])
  await tab.close()
})

const formulas = ['=1+1', '+1', '-1', '@sum(A1)', '\t=1', '=HYPERLINK("http://x")']

test.serial('formulas in names are text in every saved table', async (t) => {
  const { customer, signsIn } = await stage.site.user()
  const items = formulas.map((guest) => ({ name: guest, variables: { guest } }))
  const sent = await customer.post('/api/render/bulk/api-key', {
    ...{ payload, name: '=bulk', items },
  })
  t.is(sent.statusCode, 202, sent.body)
  const { bulkId } = sent.json()
  const { context, tab, page } = await stage.signedIn({ signsIn })
  const saved = async (path: string, button: string) => {
    await visit(tab, stage.site.origin + path)
    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: button }).click()
    const text = await readFile(await (await saving).path(), 'utf8')
    return parse(text) as string[][]
  }
  const results = await saved(`/bulks/${bulkId}`, 'Results as CSV')
  const names = results.slice(1).map(([, , name]) => name)
  t.deepEqual(
    names,
    formulas.map((name) => `'${name}`),
  )
  const ledger = await saved('/credits', 'Ledger as CSV')
  t.true(ledger.length > 1)
  // Numbers below zero are no formulas.
  const isFormula = (cell: string) => /^[=+\-@\t\r]/.test(cell) && !/^-\d+$/.test(cell)
  t.deepEqual([...results, ...ledger].flat().filter(isFormula), [])

  // A cell of a table to be sent is what it is.
  await visit(tab, `${stage.site.origin}/bulks/new`)
  await page.setInputFiles('input[accept*=json]', {
    ...{ name: 'project.json', mimeType: 'application/json' },
    buffer: Buffer.from(JSON.stringify(payload)),
  })
  await page.click('summary:has-text("paste rows")')
  await page.fill('textarea', `guest\n${formulas[0]}`)
  t.is(await page.getByLabel('guest of row 2').inputValue(), '=1+1')
  await keep(page, 'story-15-formula')
  t.deepEqual(tab.faults, [])
  await context.close()
})
