import test from 'ava'
import { keep } from './open-browser.ts'
import { stageOfFile } from './stage.ts'

/** Texts that the editor must bear: typed over, nested without an end, sought at a broken address. */

const stage = stageOfFile()

/** Opens the editor of a new user, and keeps what breaches the pages' policy. */
async function opened(t: { teardown(end: () => Promise<void>): void }, hash = '') {
  const { tab, page, close } = await stage.newcomer({
    script: `
      window.breaches = []
      document.addEventListener('securitypolicyviolation',
        ({ effectiveDirective }) => window.breaches.push(effectiveDirective))`,
  })
  t.teardown(close)
  await page.goto(`${stage.site.origin}/editor${hash}`)
  await page.waitForSelector('.cm-content')
  const lines = async () => (await page.locator('.cm-line').allTextContents()).join('\n')
  return { ...tab, lines, breaches: async () => await page.evaluate('window.breaches') }
}

const isChecked = 'h2:text("No faults")'

test('typing over a selection breaches no policy', async (t) => {
  const { page, lines, breaches } = await opened(t)
  await page.locator('.cm-line', { hasText: '"hello"' }).dblclick()
  for (let i = 0; i < 30; i += 1) await page.keyboard.press('Shift+ArrowRight')
  await page.keyboard.type('typed')
  t.true((await lines()).includes('typed'))
  t.deepEqual(await breaches(), [])
  await page.keyboard.press('Control+a')
  await page.keyboard.type('[true')
  t.is(await lines(), '[true]')
  for (let i = 0; i < 4; i += 1) await page.keyboard.press('Shift+ArrowLeft')
  await page.keyboard.type('"')
  t.is(await lines(), '["true"]', 'a quote goes around what is selected')
  await page.keyboard.press('Control+z')
  t.is(await lines(), '[true]')
  t.deepEqual(await breaches(), [])
})

test('a broken end of the address is told, and breaks nothing', async (t) => {
  const { page, faults } = await opened(t, '#%')
  await page.waitForSelector('text=must name a place in the text')
  await page.waitForSelector(isChecked)
  await page.waitForSelector('.toasts p', { state: 'detached' })
  await page.evaluate(`location.hash = '#%E0'`)
  await page.waitForSelector('text=must name a place in the text')
  await page.evaluate(`location.hash = '#/scenes/0/visuals/0/text'`)
  await page.waitForSelector('.caret-words:text("text")')
  t.deepEqual(
    faults.filter((fault) => !fault.includes('preview')),
    [],
  )
})

for (const isOver of [true, false]) {
  const how = isOver ? 'over the text' : 'into it'
  test(`twenty thousand brackets put ${how} are left out, with a sentence`, async (t) => {
    const { page, faults, lines } = await opened(t)
    await page.waitForSelector(isChecked)
    const before = await lines()
    await page.locator('.cm-content').press(isOver ? 'Control+a' : 'Control+Home')
    await page.keyboard.insertText('['.repeat(20_000))
    await page.waitForSelector('text=The text must be nested at most 200 levels deep.')
    await keep(page, `editor-too-deep-${isOver}`)
    t.is(await lines(), before)
    // The judge goes on: a fault is found, and the next text is faultless.
    await page.locator('.cm-content').press('Control+a')
    await page.keyboard.insertText('[[1]]')
    await page.waitForSelector('.finding')
    await page.keyboard.press('Control+z')
    await page.waitForSelector(isChecked)
    t.deepEqual(
      faults.filter((fault) => !fault.includes('preview')),
      [],
    )
  })
}

test('an editor whose judge did not load says so, and tries again', async (t) => {
  const { context, page, close } = await stage.newcomer()
  t.teardown(close)
  let isGone = true
  await context.route('**/assets/judge.worker-*.js', async (route) => {
    if (isGone) await route.fulfill({ status: 404 })
    else await route.continue()
  })
  await page.goto(`${stage.site.origin}/editor`)
  await page.waitForSelector('h2:text("Not checked")')
  await keep(page, 'editor-not-checked')
  t.is(await page.locator('h2:text("Checking…")').count(), 0)
  isGone = false
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.waitForSelector(isChecked)
})
