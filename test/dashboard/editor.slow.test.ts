import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import sharp from 'sharp'
import { findChromium } from '../../worker/bake/browser.ts'
import { startFarm } from '../farm/running-farm.ts'
import { keep } from './open-browser.ts'

/** The editor in a real browser, on a whole farm, under the policy that the farm sends. */

const farm = await startFarm({ workers: 1 })
const require = createRequire(import.meta.url)
/** Folder to keep pictures of the page in; none are kept without it. */
const pictures = process.env.FARM_TEST_PICTURES
let browser: Browser
let context: BrowserContext
/** What the consoles of all pages said, breaches of the policy among it. */
const said: string[] = []

test.before(async () => {
  const executablePath = await findChromium()
  if (executablePath === undefined) throw new Error('this test needs Chromium')
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  const { dashboardUrl } = JSON.parse(await readFile(join(farm.data, 'stdout'), 'utf8'))
  const page = await context.newPage()
  await page.goto(dashboardUrl)
  await page.waitForSelector('.page-head')
  await page.close()
})
test.after.always(async () => {
  await browser?.close()
  await farm.stop()
})

async function open(t: ExecutionContext, path = '/editor'): Promise<Page> {
  const page = await context.newPage()
  page.on('pageerror', (error) => said.push(error.message))
  page.on('console', (message) => {
    const isHere = new URL(page.url()).pathname === '/editor'
    if (isHere && message.type() === 'error') said.push(message.text())
  })
  t.teardown(() => page.close())
  await page.goto(farm.url + path)
  await page.waitForSelector('.cm-content')
  return page
}

const patienceMs = 60_000

/** Waits from outside: the pages' policy lets nothing evaluate text in them. */
async function until<T>(what: string, read: () => Promise<T | undefined | false>): Promise<T> {
  const deadline = Date.now() + patienceMs
  for (;;) {
    const found = await read()
    if (found) return found
    if (Date.now() > deadline) throw new Error(`the page must show ${what}`)
    await sleep(25)
  }
}

const pictureOf = async (page: Page) =>
  await page
    .locator('.exact-picture img:not(.old)')
    .getAttribute('src', { timeout: 100 })
    .catch(() => undefined)

const selected = (page: Page) =>
  page.evaluate<string>(`String(document.querySelector('.code').shadowRoot.getSelection())`)

/** Puts the caret behind a text of the editor. */
async function caretBehind(page: Page, text: string): Promise<void> {
  await page.locator('.cm-content').press('Control+f')
  await page.keyboard.type(text)
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  await page.keyboard.press('ArrowRight')
}

async function axe(page: Page): Promise<string[]> {
  await page.evaluate(await readFile(require.resolve('axe-core/axe.min.js'), 'utf8'))
  return (await page.evaluate(`axe.run(document, {
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  }).then(({ violations }) => violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => id + ': ' + target.join(' ') + ' ' + failureSummary)))`)) as string[]
}

test.serial('a changed word changes the picture, and Render leads to the job', async (t) => {
  const page = await open(t)
  const before = await until('a picture', () => pictureOf(page))
  await page.getByLabel('headline').fill('Good morning')
  const after = await until('another picture', async () => {
    const now = await pictureOf(page)
    return now !== before && now
  })
  t.not(after, before)
  await keep(page, 'story-02-changed-word')
  const sent = page.waitForRequest((request) => request.url().endsWith('/api/render'))
  await page.getByRole('button', { name: 'Render', exact: true }).click()
  t.deepEqual((await sent).postDataJSON().variables, { headline: 'Good morning' })
  await page.waitForURL(/\/jobs\/[0-9a-f-]{36}$/)
  const job = await farm.job(page.url().split('/').at(-1) ?? '')
  t.not(job.state, 'failed')
})

test.serial('a fault at its line blocks Render until a press repairs it', async (t) => {
  const page = await open(t)
  await until('a picture', () => pictureOf(page))
  await caretBehind(page, '"center-center",')
  await page.keyboard.insertText(' "opacty": 0.5,')
  const fault = page.locator('.finding', { hasText: 'scenes[0].visuals[0].opacty' })
  await fault.waitFor()
  t.regex((await fault.textContent()) ?? '', /Did you mean "opacity"\?/)
  t.is(await page.locator('.cm-lintRange-error').textContent(), '0.5')
  await keep(page, 'story-02-fault-at-its-line')
  t.true(await page.getByRole('button', { name: 'Render', exact: true }).isDisabled())
  await fault.click()
  t.is(await selected(page), '0.5')
  await page.getByRole('button', { name: 'Repair', exact: true }).click()
  await page.getByText('No faults').waitFor()
  t.regex((await page.locator('.cm-content').textContent()) ?? '', /"opacity": 0\.5/)
  t.false(await page.getByRole('button', { name: 'Render', exact: true }).isDisabled())
})

test.serial('completion offers fields of a TEXT and their values', async (t) => {
  const page = await open(t)
  const offered = async () => {
    const list = page.locator('.cm-tooltip-autocomplete li')
    await list.first().waitFor()
    return await list.allTextContents()
  }
  const accept = async (label: string) => {
    const list = page.locator('.cm-tooltip-autocomplete li[aria-selected]')
    await until(label, async () => (await list.allTextContents())[0] === label)
    // CodeMirror takes no key for a moment after the list has changed.
    await sleep(150)
    await page.keyboard.press('Enter')
  }
  await caretBehind(page, '"text": "Change a word, and see it",')
  await page.keyboard.press('Enter')
  await page.keyboard.type('"')
  const keys = await offered()
  for (const key of ['html', 'customCode', 'enterAnimation']) t.true(keys.includes(key), key)
  t.false(keys.includes('videoBegin'))
  await page.keyboard.type('enterAni')
  await accept('enterAnimation')
  await page.keyboard.type('"wipe')
  await accept('"wipeleft"')
  await page.getByText(/No faults|warning/).waitFor()
  t.regex((await page.locator('.cm-content').textContent()) ?? '', /"enterAnimation": "wipeleft",/)
})

test.serial('a new element is offered where elements stand', async (t) => {
  const page = await open(t, '/editor#/scenes/0/visuals/0')
  await until('the caret', async () => (await selected(page)) === '{')
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.insertText(',')
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('Control+Space')
  const list = page.locator('.cm-tooltip-autocomplete li')
  await list.first().waitFor()
  const offered = await list.allTextContents()
  for (const type of ['TEXT', 'IMAGE', 'VIDEO']) t.true(offered.includes(`New ${type}`), type)
})

test.serial('a job’s request is opened at the place of a link', async (t) => {
  const payload = {
    ...{ width: 320, height: 180, duration: 1, variables: { guest: 'Ada' } },
    visuals: [{ type: 'TEXT', text: '{{ guest }}' }],
  }
  const id = await farm.submit(payload, { guest: 'Grace' })
  const page = await open(t, `/editor?job=${id}#/payload/visuals/0/text`)
  await until('the caret', async () => (await selected(page)) === '"{{ guest }}"')
  t.is(await page.getByLabel('guest').inputValue(), 'Grace')
})

test.serial('the timeline and a link put the caret at an element', async (t) => {
  const page = await open(t, '/editor#/payload/scenes/1/visuals/0/text')
  await until('the caret', async () => (await selected(page)) === '"Change a word, and see it"')
  const time = page.locator('.moment output')
  await page.locator('.bar-row', { hasText: 'Hello, world' }).press('Enter')
  // A large element is marked by its bracket; what follows is its first field.
  t.is(await selected(page), '{')
  t.is(await time.textContent(), '1.80 s')
})

test.serial('unsaved work survives a reload, and can be left', async (t) => {
  const page = await open(t, '/editor?example=quote-card')
  await caretBehind(page, '"name": "')
  await page.keyboard.insertText('changed-')
  await page.locator('.cm-content', { hasText: 'changed-' }).waitFor()
  await sleep(200)
  await page.reload()
  await page.getByText('Your unsaved changes are back').waitFor()
  await until('the changed text', async () =>
    (await page.locator('.cm-content').textContent())?.includes('"changed-'),
  )
  await page.getByRole('button', { name: 'Start over' }).click()
  t.notRegex((await page.locator('.cm-content').textContent()) ?? '', /changed-/)
})

test.serial('a project is saved as a template, then its changes', async (t) => {
  const page = await open(t)
  await until('a picture', () => pictureOf(page))
  await page.getByRole('button', { name: 'Save as template' }).click()
  await page.getByLabel('Name').fill('Greeting')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.waitForURL(/\/editor\?template=tpl_/)
  await page.getByRole('heading', { name: 'Greeting' }).waitFor()
  await caretBehind(page, '"headline": "')
  await page.keyboard.insertText('Oh, ')
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('The changes are saved.').waitFor()
  const id = new URL(page.url()).searchParams.get('template')
  const { body } = await farm.call('GET', `/api/templates/${id}`)
  t.deepEqual((body.payload as { variables: object }).variables, { headline: 'Oh, Hello, world' })
})

test.serial('a failed request leaves the text as it was', async (t) => {
  const page = await open(t)
  await until('a picture', () => pictureOf(page))
  const text = await page.locator('.cm-content').textContent()
  await context.setOffline(true)
  t.teardown(() => context.setOffline(false))
  await page.getByRole('button', { name: 'Render', exact: true }).click()
  await caretBehind(page, '"duration": 3')
  await page.keyboard.insertText('5')
  // The judge needs no network.
  await page.getByText('36.5 s').or(page.getByText('37 s')).first().waitFor()
  t.is(
    await page.locator('.cm-content').textContent(),
    String(text).replace('"duration": 3', '"duration": 35'),
  )
})

test.serial('Esc, then Tab leaves the text', async (t) => {
  const page = await open(t)
  await page.locator('.cm-content').click()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Tab')
  t.not(await page.evaluate('document.activeElement.className'), 'code')
})

for (const colorScheme of ['light', 'dark'] as const) {
  for (const width of [1280, 320]) {
    test.serial(`the editor is accessible, ${colorScheme}, ${width} px wide`, async (t) => {
      const page = await open(t, '/editor?example=product-promo')
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 900 })
      await until('a picture', () => pictureOf(page))
      t.deepEqual(await axe(page), [], 'without faults')
      t.true(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'))
      await caretBehind(page, '"frameRate": 30')
      await page.keyboard.insertText('0')
      await page.locator('.finding').first().waitFor()
      t.deepEqual(await axe(page), [], 'with a fault')
      const path = pictures && join(pictures, `editor-${width}-${colorScheme}.png`)
      if (path) await page.screenshot({ path, fullPage: true })
      await page.evaluate('sessionStorage.clear()')
    })
  }
}

test.serial('a dropped picture is uploaded and seen in the film', async (t) => {
  const page = await open(t)
  const before = await until('a picture', () => pictureOf(page))
  await page.getByText('Your uploads').click()
  await page.getByText('None yet.').waitFor()
  const still = {
    ...{ type: 'image', width: 64, height: 64 },
    visuals: [{ type: 'IMAGE', src: '', width: 64, height: 64 }],
  }
  await page.locator('.cm-content').press('Control+a')
  await page.keyboard.press('Delete')
  await page.keyboard.insertText(JSON.stringify(still))
  await caretBehind(page, '"src":')
  await page.keyboard.press('ArrowRight')
  const red = { r: 200, g: 30, b: 40 }
  const made = sharp({ create: { width: 64, height: 64, channels: 3, background: red } })
  const [name, bytes] = ['red square.png', await made.png().toBuffer()]
  await drop(page, { name, type: 'image/png', bytes })
  await page.getByText(`The address of ${name} is in the text.`).waitFor()
  const text = (await page.locator('.cm-content').textContent()) ?? ''
  const { visuals } = JSON.parse(text)
  t.regex(visuals[0].src, new RegExp(`^${farm.url}/uploads/upl_[A-Za-z0-9]{20}/[0-9a-f]{32}$`))
  await until('another picture', async () => {
    const now = await pictureOf(page)
    return now !== undefined && now !== before
  })
  t.deepEqual(await axe(page), [])
  const path = pictures && join(pictures, 'editor-upload.png')
  if (path) await page.screenshot({ path, fullPage: true })
  await page.getByRole('button', { name: `Delete ${name}` }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('None yet.').waitFor()
  t.is((await fetch(visuals[0].src)).status, 404)
})

test.serial('a refused or cancelled file says why and leaves the text', async (t) => {
  const page = await open(t)
  const text = await page.locator('.cm-content').textContent()
  const input = page.locator('.uploads input[type=file]')
  // Chromium itself says that a request was refused.
  page.removeAllListeners('console')
  await input.setInputFiles({
    ...{ name: 'photo.png', mimeType: 'image/png', buffer: Buffer.from('<svg>no picture</svg>') },
  })
  await page.getByRole('alert').getByText('The file must be a picture').waitFor()
  // The body is held on its way, so that the bar stands.
  let letGo = () => {}
  await page.route('**/api/uploads?*', async (route) => {
    await new Promise<void>((resolve) => {
      letGo = resolve
    })
    await route.abort().catch(() => undefined)
  })
  await input.setInputFiles({ name: 'long.mp4', mimeType: 'video/mp4', buffer: Buffer.alloc(9) })
  await page.getByRole('progressbar', { name: 'Uploading long.mp4' }).waitFor()
  await page.getByRole('button', { name: 'Cancel upload' }).click()
  await page.getByText('The upload was cancelled.').waitFor()
  letGo()
  t.is(await page.locator('.cm-content').textContent(), text)
})

test.serial('no page breached the policy or failed', (t) => {
  t.deepEqual(
    // Requests of the time without a network.
    said.filter((line) => !/net::ERR_/.test(line)),
    [],
  )
})

/** Drops a file on the text, as a browser does when it comes from the desktop. */
async function drop(
  page: Page,
  { name, type, bytes }: { name: string; type: string; bytes: Buffer },
): Promise<void> {
  const file = JSON.stringify({ name, type, base64: bytes.toString('base64') })
  await page.evaluate(`(({ name, type, base64 }) => {
    const dataTransfer = new DataTransfer()
    const content = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))
    dataTransfer.items.add(new File([content], name, { type }))
    const told = { dataTransfer, bubbles: true, composed: true, cancelable: true }
    const text = document.querySelector('.code').shadowRoot.querySelector('.cm-content')
    text.dispatchEvent(new DragEvent('dragover', told))
    text.dispatchEvent(new DragEvent('drop', told))
  })(${file})`)
}
