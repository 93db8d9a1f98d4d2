import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { findChromium } from '../../worker/bake/browser.ts'

/** The dashboard in a real browser: pages that collect their faults, pictures to look at, axe. */

const require = createRequire(import.meta.url)
/** Folder to keep pictures of the pages in; none are kept without it. */
const pictures = process.env.FARM_TEST_PICTURES

export const sizes = {
  desktop: { width: 1280, height: 900 },
  phone: { width: 320, height: 740 },
} as const

export async function openBrowser(): Promise<Browser> {
  const executablePath = await findChromium()
  if (executablePath === undefined) throw new Error('this test needs Chromium')
  const args = ['--no-sandbox', '--autoplay-policy=no-user-gesture-required']
  return await chromium.launch({ executablePath, args })
}

export type Watched = { readonly page: Page; readonly faults: string[] }

/** Opens a tab; errors, refused answers and breaches of the policy are collected in `faults`. */
export async function openTab(context: BrowserContext): Promise<Watched> {
  const page = await context.newPage()
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => {
    // A piece of a film that takes more than 20 seconds is asked for again.
    const isWait = message.text().includes('status of 503')
    if (message.type() === 'error' && !isWait) faults.push(message.text())
  })
  return { page, faults }
}

export async function signIn(
  { page }: Watched,
  { url, email, password }: { url: string; email: string; password: string },
): Promise<void> {
  await page.goto(url)
  await page.fill('input[name=email]', email)
  await page.fill('input[name=password]', password)
  await page.click('button[type=submit]')
  await page.waitForSelector('.page-head')
}

/** Shows text at 200 %, as a person sets it in the browser. */
export async function enlargeText(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Page.setFontSizes', { fontSizes: { standard: 32, fixed: 26 } })
  await until(page, `getComputedStyle(document.documentElement).fontSize === '32px'`)
}

/** Lets the farm answer every request of a page with an error, except those of its session. */
export async function failRequests(page: Page): Promise<void> {
  const body = JSON.stringify({ status: 500, code: 'internal', detail: 'The farm is at fault' })
  const answer = { status: 500, contentType: 'application/problem+json', body }
  const isFailing = ({ pathname }: URL) =>
    pathname.startsWith('/api/') && !pathname.includes('/auth/')
  await page.route(isFailing, (route) => route.fulfill(answer))
}

/** Goes to a page of the dashboard by its own link or address, and waits for what it loads. */
export async function visit({ page }: Watched, address: string): Promise<void> {
  await page.goto(address)
  await page.waitForSelector('.page-head')
  await page.waitForLoadState('load')
  await settled(page)
}

/** Waits until nothing is loading any more. */
export async function settled(page: Page): Promise<void> {
  await until(page, `document.querySelectorAll('.loading').length === 0`)
}

/**
 * Puts a tab behind another, or in front again: headless pages are never hidden by themselves. A tab in the
 * background is frozen as well, so no timer of it runs.
 */
export async function putBehind(page: Page, isBehind: boolean): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  const freeze = (state: 'frozen' | 'active') =>
    devtools.send('Page.setWebLifecycleState', { state })
  if (!isBehind) await freeze('active')
  await page.evaluate(`(() => {
    const told = { hidden: ${isBehind}, visibilityState: '${isBehind ? 'hidden' : 'visible'}' }
    for (const [name, value] of Object.entries(told)) {
      Object.defineProperty(document, name, { value, configurable: true })
    }
    document.dispatchEvent(new Event('visibilitychange'))
  })()`)
  if (isBehind) await freeze('frozen')
  await devtools.detach()
}

/** Stops a page's time a second from now, so that it waits for what a test does next. */
export async function stopTime(page: Page): Promise<void> {
  const stop = async () =>
    await page.clock.pauseAt(Number(await page.evaluate('Date.now()')) + 1_000)
  // A busy machine takes longer than the second to stop it.
  while (!(await stop().then(() => true, isPast)));
}

function isPast(error: Error): false {
  if (error.message.includes('to the past')) return false
  throw error
}

const patienceMs = 60_000

/** Waits for a condition from outside: the pages' policy lets nothing evaluate text in them. */
export async function until(page: Page, condition: string): Promise<void> {
  const deadline = Date.now() + patienceMs
  while (!(await page.evaluate(condition))) {
    if (Date.now() > deadline) throw new Error(`the page must reach ${condition}`)
    await sleep(50)
  }
}

/** Returns what axe finds, as `rule: element`. */
export async function axe(page: Page): Promise<string[]> {
  await page.evaluate(await readFile(require.resolve('axe-core/axe.min.js'), 'utf8'))
  return (await page.evaluate(`axe.run(document, {
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  }).then(({ violations }) => violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => id + ': ' + target.join(' ') + ' ' + failureSummary)))`)) as string[]
}

/** True when nothing is wider than the screen. */
export async function fits(page: Page): Promise<boolean> {
  return await page.evaluate('document.documentElement.scrollWidth <= innerWidth')
}

/** True when the menu shows the whole name of the present room, if the page is in one. */
export async function showsRoom(page: Page): Promise<boolean> {
  return await page.evaluate(`(() => {
    const room = document.querySelector('.shell > nav [aria-current] span')
    if (!room) return true
    const { left, right } = room.getBoundingClientRect()
    return left >= 0 && right <= innerWidth && right - left > 10
  })()`)
}

export async function keep(page: Page, name: string, { fullPage = true } = {}): Promise<void> {
  if (pictures) await page.screenshot({ path: join(pictures, `${name}.png`), fullPage })
}
