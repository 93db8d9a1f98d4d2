import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { WarmBrowser } from './browser.ts'
import type { Fonts } from './fonts.ts'
import { openBakePage } from './page/page.ts'

export type FreshPage = {
  readonly browser: Browser
  readonly context: BrowserContext
  readonly page: Page
}

/** Empty pages, each in a context of its own that nothing was ever painted in. */
export type FreshPages = {
  /** The caller closes the context when it has painted. */
  take: () => Promise<FreshPage>
  /** Makes the next page ready; called when the one taken has painted, so as not to slow it down. */
  prepare: () => void
}

/**
 * A new page costs a new process, some 50 ms: one is kept ready. It goes with its browser, so nobody
 * has to close it.
 */
export function createFreshPages({
  browser,
  fonts,
}: {
  browser: WarmBrowser
  fonts: Fonts
}): FreshPages {
  let spare: Promise<FreshPage | undefined> | undefined
  return {
    async take() {
      const prepared = spare
      spare = undefined
      const ready = await prepared
      return ready?.browser.isConnected() ? ready : open({ browser, fonts })
    },
    prepare() {
      // A spare that cannot be made is made again, and its fault told, when it is needed.
      spare ??= open({ browser, fonts }).catch(() => undefined)
    },
  }
}

async function open({
  browser,
  fonts,
}: {
  browser: WarmBrowser
  fonts: Fonts
}): Promise<FreshPage> {
  const current = await browser.get()
  const context = await current.newContext({
    javaScriptEnabled: false,
    serviceWorkers: 'block',
    locale: 'en-US',
    timezoneId: 'UTC',
    colorScheme: 'light',
    deviceScaleFactor: 1,
  })
  return { browser: current, context, page: await openBakePage(context, fonts) }
}
