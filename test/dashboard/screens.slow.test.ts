import test from 'ava'
import { withSeenMarks } from '../../dashboard/src/words/direction-marks.ts'
import { screensLookWell, signInLooksWell } from './looks-well.ts'
import { keep, sizes, visit } from './open-browser.ts'
import { addOneOfEverything, stageOfFile } from './stage.ts'

/** Every screen in a real browser against a real gateway, with rows of every kind. */

const hostile = '<img src=x onerror=alert(1)>\u2069\u202e"\' 🎬'
const payload = {
  ...{ name: 'A film', width: 320, height: 180, duration: 1, variables: { guest: hostile } },
  visuals: [{ type: 'TEXT', text: 'Hello' }],
}

const stage = stageOfFile()

/** An account with a user and one of everything, all with hostile names. */
async function seeded() {
  const user = await stage.site.user()
  const items = Array.from({ length: 30 }, (_, i) => ({ name: `Guest ${i}` }))
  const screens = await addOneOfEverything(user.customer, { payload, items, name: hostile })
  return { ...user, screens }
}

for (const colorScheme of ['light', 'dark'] as const) {
  for (const size of ['desktop', 'phone'] as const) {
    test.serial(`screens are accessible, ${colorScheme}, on a ${size}`, async (t) => {
      const { signsIn, screens } = await seeded()
      const { origin } = stage.site
      await signInLooksWell(t, stage.browser, { url: origin, viewport: sizes[size], colorScheme })
      const tab = await stage.signedIn({ signsIn }, { viewport: sizes[size], colorScheme })
      const kept = (name: string) => `screen-${name}-${size}-${colorScheme}`
      await screensLookWell(t, tab, { origin, screens, kept })
      t.deepEqual(tab.faults, [])
      await tab.close()
    })
  }
}

test.serial('names of strangers are text on every screen', async (t) => {
  const { signsIn, screens } = await seeded()
  const { context, tab, page } = await stage.signedIn({ signsIn })
  const dialogs: string[] = []
  page.on('dialog', (dialog) => dialogs.push(dialog.message()))
  for (const path of Object.values(screens)) {
    await visit(tab, stage.site.origin + path)
    t.is(await tab.page.locator('img[onerror]').count(), 0)
  }
  await visit(tab, stage.site.origin + screens.template)
  t.is(await tab.page.locator('h1').textContent(), withSeenMarks(hostile))
  await keep(tab.page, 'story-15-names-of-strangers')
  t.is(await tab.page.locator('input[name=guest]').inputValue(), hostile)
  t.deepEqual(dialogs, [])
  t.deepEqual(tab.faults, [])
  await context.close()
})

/** All that a page can keep in a browser. */
const storages = `(async () => {
  const texts = [{ ...localStorage }, { ...sessionStorage }, location.href, history.state]
  for (const name of await caches.keys()) {
    const cache = await caches.open(name)
    for (const reply of await cache.matchAll()) texts.push(await reply.text())
  }
  texts.push(await indexedDB.databases(), document.cookie, window.name)
  return JSON.stringify(texts)
})()`

test.serial('a key is shown once, and nowhere after a reload', async (t) => {
  const { customer, signsIn } = await seeded()
  const { context, tab, page } = await stage.signedIn({ signsIn })
  const { origin } = stage.site
  await visit(tab, `${origin}/keys`)
  await page.click('text=New key')
  await page.fill('dialog input[name=name]', 'a program')
  await page.uncheck('dialog input[name=webhooks]')
  await page.fill('dialog input[name=cap]', '25')
  const made = page.waitForResponse((reply) => reply.request().method() === 'POST')
  await page.click('dialog button[type=submit]')
  t.is((await made).headers()['cache-control'], 'no-store')
  const key = await page.locator('.secret').textContent()
  t.regex(key ?? '', /^svc_[0-9a-f]{64}$/)
  // Neither Esc, twice, nor a click outside loses it.
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await page.mouse.click(5, 5)
  t.is(await page.locator('.secret').textContent(), key)
  await keep(page, 'story-10-key-shown-once')
  await page.click('text=I have kept it')
  await page.waitForSelector('text=0 of 25 credits spent')
  await page.reload()
  await page.waitForSelector('.row')
  t.false(String(await page.evaluate(storages)).includes(key ?? ''))
  t.false((await page.content()).includes(key ?? ''))
  const devtools = await context.newCDPSession(page)
  const { entries } = await devtools.send('Page.getNavigationHistory')
  t.true(entries.length > 1)
  t.false(JSON.stringify(entries).includes(key ?? ''))
  await page.goBack()
  await page.waitForSelector('.page-head')
  await page.goForward()
  await page.waitForSelector('text=0 of 25 credits spent')
  t.false((await page.content()).includes(key ?? ''))

  const withKey = async (path: string, body?: object) =>
    await fetch(origin + path, {
      headers: { 'x-api-key': key ?? '', ...(body && { 'content-type': 'application/json' }) },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    })
  const asked = await withKey('/api/webhooks')
  t.is(asked.status, 403)
  t.regex(await asked.text(), /scope.*webhooks/)
  const long = await withKey('/api/render/api-key', { payload: { ...payload, duration: 60 } })
  t.is(long.status, 402)
  t.regex(await long.text(), /must fit its spending cap of 25 credits/)
  await page.locator('.row', { hasText: 'a program' }).locator('text=Revoke').click()
  await page.click('dialog button.danger')
  await page.waitForSelector('text=opens nothing any more')
  t.is((await fetch(`${origin}/api/jobs`, { headers: { 'x-api-key': key ?? '' } })).status, 401)
  t.is((await customer.get('/api/jobs')).statusCode, 200)
  await context.close()
})

test.serial('the addresses of another account show nothing of it', async (t) => {
  const mine = await seeded()
  const other = await seeded()
  const { context, tab } = await stage.signedIn(mine)
  for (const path of [
    other.screens.job,
    other.screens.bulk,
    other.screens.template,
    other.screens.webhook,
  ]) {
    await tab.page.goto(stage.site.origin + path)
    const sentence = await tab.page.locator('.fault').first().textContent()
    t.regex(sentence ?? '', /must have a/, path)
    t.false((await tab.page.content()).includes('onerror'), path)
  }
  await context.close()
})
