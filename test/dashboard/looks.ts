import type { ExecutionContext } from 'ava'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { compareWithKept, pictureOf } from './kept-pictures.ts'
import { enlargeText, fits, keep, openTab, settled, signIn, type Watched } from './open-browser.ts'

/** Looks of story 18: screens are shown in each, judged, and compared with pictures that are kept. */

/** Noon of today: times on the pages are told from it, and all rows are of the same day. */
export const now = new Date(new Date().setUTCHours(12, 0, 0, 0))
const desktop = { width: 1024, height: 720 }

/** Time of all rows. */
export const rowsAt = new Date(now.getTime() - 20 * 60_000)

type Look = BrowserContextOptions & { readonly isLarge?: boolean }

export const looks = {
  light: { viewport: desktop, colorScheme: 'light' },
  dark: { viewport: desktop, colorScheme: 'dark' },
  forced: { viewport: desktop, forcedColors: 'active' },
  narrow: { viewport: { width: 320, height: 640 } },
  large: { viewport: desktop, isLarge: true },
} as const satisfies Readonly<Record<string, Look>>

/** Opens a tab in a look, of somebody who signs in. Its clock stands still. `prepare`: done before the first page. */
export async function openLook(
  browser: Browser,
  { isLarge = false, ...options }: Look,
  signsIn: { readonly url: string; readonly email: string; readonly password: string },
  prepare: (page: Page) => Promise<void> = async () => undefined,
) {
  const context = await browser.newContext({
    ...options,
    ...{ timezoneId: 'UTC', locale: 'en-GB', reducedMotion: 'reduce' },
  })
  const tab = await openTab(context)
  if (isLarge) await enlargeText(tab.page)
  await tab.page.clock.setFixedTime(now)
  await prepare(tab.page)
  await signIn(tab, signsIn)
  return { ...tab, context }
}

const strayTimes = `[...document.querySelectorAll('time')].map(({ dateTime }) => dateTime)
  .filter((at) => Math.abs(Date.parse(at) - ${rowsAt.getTime()}) > 60_000)`

/** Sum of the shifts of what was already shown, as browsers score it. */
const shifts = `new Promise((resolve) => {
  new PerformanceObserver((list) => resolve(list.getEntries()
    .reduce((sum, { value, hadRecentInput }) => sum + (hadRecentInput ? 0 : value), 0)))
    .observe({ type: 'layout-shift', buffered: true })
  setTimeout(() => resolve(0), 200)
})`
/** Above it, browsers call a page's shifts bad. */
const mostShifted = 0.1

const running = `document.getAnimations().filter((each) => each.playState === 'running').length`

/** Texts that reach over their box's edges. */
const overflowing = `[...document.querySelectorAll('main *, nav *')]
  .filter(({ scrollWidth, clientWidth, scrollHeight, clientHeight }) =>
    clientWidth > 1 && (scrollWidth > clientWidth + 1 || scrollHeight > clientHeight * 1.1 + 1))
  .filter((each) => {
    const { overflowX, display } = getComputedStyle(each)
    return overflowX === 'visible' && display !== 'inline'
  })
  .map((each) => each.className + ' ' + each.textContent.slice(0, 40))`

/** Filters whose words are cut off; an arrow takes 24 px beside the words of a select. */
const cut = `[...document.querySelectorAll('.filters :is(select, input)')]
  .map((each) => {
    const { font, paddingLeft, paddingRight } = getComputedStyle(each)
    const words = each.placeholder ?? each.selectedOptions[0]?.textContent ?? ''
    const pen = Object.assign(document.createElement('canvas').getContext('2d'), { font })
    const room = each.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight)
    return { words, left: room - pen.measureText(words).width - (each.matches('select') ? 24 : 0) }
  })
  .filter(({ left }) => left < 0).map(({ words, left }) => words + ' ' + left)`

/** Judges how a screen looks, and compares it with the picture that the folder `kept` has of it. */
export async function looksAsKept(
  t: ExecutionContext,
  { page }: Pick<Watched, 'page'>,
  {
    address,
    part,
    kept,
    look,
    name,
  }: {
    readonly address: string
    /** Part that comes after its page. */
    readonly part?: string | undefined
    readonly kept: string
    readonly look: string
    readonly name: string
  },
): Promise<void> {
  await page.goto(address)
  await page.waitForSelector('.page-head')
  await page.waitForLoadState('load')
  await settled(page)
  if (part !== undefined) await page.waitForSelector(part)
  await page.evaluate('document.fonts.ready.then(() => undefined)')
  t.is(await page.evaluate(running), 0, `${name} moves`)
  t.true(await fits(page), `${name} is wider than the screen`)
  t.deepEqual(await page.evaluate(overflowing), [], `${name} has parts wider than their box`)
  t.deepEqual(await page.evaluate(cut), [], `${name} cuts off the words of a filter`)
  t.deepEqual(await page.evaluate(strayTimes), [], `${name} depends on the hour`)
  const shifted = (await page.evaluate(shifts)) as number
  t.true(shifted <= mostShifted, `${name} shifts by ${shifted}`)
  await compareWithKept(t, await pictureOf(page), { kept, name: `${look}-${name}` })
  if (name === 'job') await keep(page, `story-18-${look}`)
}
