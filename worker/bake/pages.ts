import type { Browser, BrowserContext, Page } from 'playwright-core'
import { FarmError } from '../../core/errors.ts'
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
  const ended = Promise.withResolvers<never>()
  const onEnd = () => ended.reject(new FarmError('internal', 'The browser ended'))
  current.once('disconnected', onEnd)
  try {
    return await Promise.race([openIn(current, fonts), ended.promise])
  } finally {
    current.off('disconnected', onEnd)
  }
}

/** May never settle when the browser ends meanwhile (seen with Playwright 1.65). */
async function openIn(browser: Browser, fonts: Fonts): Promise<FreshPage> {
  const context = await browser.newContext({
    javaScriptEnabled: false,
    serviceWorkers: 'block',
    locale: 'en-US',
    timezoneId: 'UTC',
    colorScheme: 'light',
    deviceScaleFactor: 1,
  })
  return { browser, context, page: await openBakePage(context, fonts) }
}
