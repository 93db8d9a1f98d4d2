import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { reordering } from './direction-marks.ts'
import {
  axe,
  enlargeText,
  fits,
  keep,
  openTab,
  showsRoom,
  sizes,
  visit,
  type Watched,
} from './open-browser.ts'

/** Looks at a page in both themes and both sizes: axe finds nothing, and nothing is too wide. */
export async function looksWell(
  t: { deepEqual: CallableFunction },
  { page }: Watched,
  name: string,
) {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const [size, viewport] of Object.entries(sizes)) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize(viewport)
      const shown = `${name}-${size}-${colorScheme}`
      await keep(page, `feature-${shown}`)
      t.deepEqual([await axe(page), await fits(page)], [[], true], shown)
    }
  }
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize(sizes.desktop)
}

/** Looks at a page as it is in both themes; `isLarge`: with text at 200 %. */
export async function inBothThemes(
  t: Pick<Assertions, 'deepEqual' | 'true'>,
  page: Page,
  { name, isLarge = false }: { readonly name: string; readonly isLarge?: boolean },
) {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    if (isLarge) await enlargeText(page)
    t.deepEqual(await axe(page), [], `${name}, ${colorScheme}`)
    // A picture of a whole page would undo the size of its text.
    await keep(page, `state-${name}-${colorScheme}`, { fullPage: !isLarge })
  }
  t.true(await fits(page), `${name} is wider than the screen`)
}

type Assertions = { deepEqual: CallableFunction; true: CallableFunction; is: CallableFunction }

/** Looks at the form that a stranger sees. */
export async function signInLooksWell(
  t: Pick<Assertions, 'deepEqual'>,
  browser: Browser,
  { url, ...options }: BrowserContextOptions & { readonly url: string },
) {
  const context = await browser.newContext(options)
  const { page } = await openTab(context)
  await page.goto(url)
  await page.waitForSelector('input[name=email]')
  t.deepEqual(await axe(page), [], 'sign-in')
  await context.close()
}

/** Looks at screens as their tab shows them. `kept`: name of a screen's picture; `before`: done before each. */
export async function screensLookWell(
  t: Assertions,
  tab: Watched,
  {
    origin,
    screens,
    kept,
    before,
  }: {
    readonly origin: string
    readonly screens: Readonly<Record<string, string>>
    readonly kept: (name: string) => string
    readonly before?: () => Promise<void>
  },
) {
  for (const [name, path] of Object.entries(screens)) {
    await before?.()
    await visit(tab, origin + path)
    t.deepEqual(await axe(tab.page), [], name)
    t.true(await fits(tab.page), `${name} is wider than the screen`)
    t.true(await showsRoom(tab.page), `${name}: the menu hides its room`)
    t.is(await tab.page.locator('img[onerror]').count(), 0, name)
    t.deepEqual(await tab.page.evaluate(reordering), [], `${name}: a name reorders its neighbours`)
    await keep(tab.page, kept(name))
  }
}
