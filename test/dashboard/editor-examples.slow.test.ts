import test from 'ava'
import { looksWell } from './looks-well.ts'
import { settled, until, visit } from './open-browser.ts'
import { stageOfFile } from './stage.ts'

/** The farm's examples, opened in the editor. */

const stage = stageOfFile()
const firstLine = `document.querySelector('.code')?.shadowRoot?.querySelector('.cm-content')?.textContent`

test('an example is opened in the editor, and other work stays', async (t) => {
  const { tab, page, faults, close } = await stage.newcomer()
  t.teardown(close)
  await visit(tab, `${stage.site.origin}/editor`)
  await page.getByLabel('headline').fill('Work of mine')
  await page.getByRole('button', { name: 'Examples' }).click()
  const dialog = page.getByRole('dialog', { name: 'Open an example' })
  await dialog.getByRole('link', { name: 'Quote card' }).waitFor()
  t.true((await dialog.locator('li').count()) > 20)
  await until(page, `document.querySelector('.examples img').naturalWidth > 0`)
  await looksWell(t, tab, 'editor-examples')
  await dialog.getByRole('link', { name: 'Quote card' }).click()
  await page.waitForURL('**/editor?example=quote-card')
  await until(page, `${firstLine}?.includes('quote-card')`)
  await settled(page)
  t.is(await page.locator('dialog').count(), 0)
  t.is(await page.locator('text=Your unsaved changes are back').count(), 0)
  await page.waitForSelector('.finding, h2:text("No faults")')
  await page.goBack()
  await page.waitForSelector('text=Your unsaved changes are back')
  t.is(await page.getByLabel('headline').inputValue(), 'Work of mine')
  // The preview of a gateway without nodes is late; nothing else may fail.
  t.deepEqual(
    faults.filter((fault) => !/status of (?:429|5\d\d)/.test(fault)),
    [],
  )
})

test('an example that the farm lacks is told', async (t) => {
  const { page, close } = await stage.newcomer()
  t.teardown(close)
  await page.goto(`${stage.site.origin}/editor?example=..%2Fsecrets`)
  t.regex((await page.textContent('.fault')) ?? '', /slug/)
  await page.goto(`${stage.site.origin}/editor?example=no-such-example`)
  t.regex((await page.textContent('.fault')) ?? '', /no-such-example/)
})
