import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core'
import { FarmError } from '../../core/errors.ts'
import { everywhere } from '../../core/looks/family-chain.ts'
import type { WarmBrowser } from './browser.ts'
import type { Fonts } from './fonts.ts'
import { callInPage, openBakePage } from './page/page.ts'
import { clear } from './page/place.ts'
import { PagePictures } from './page-pictures.ts'

/** Page in which nothing is mounted. */
export type EmptyPage = {
  readonly browser: Browser
  readonly context: BrowserContext
  readonly page: Page
  readonly session: CDPSession
  /** Names of the families whose faces are loaded. */
  readonly families: Set<string>
  readonly pictures: PagePictures
  /** Number of bakes in it so far. */
  uses: number
}

/** Pool of pages, each in a context of its own. */
export type BakePages = {
  /**
   * Returns a page that no account but `accountId` ever used. The caller keeps it or closes its
   * context.
   */
  take: (accountId?: string) => Promise<EmptyPage>
  /** Empties the page for the account's next bake; closes it when that fails. */
  keep: (page: EmptyPage, accountId: string) => void
  /**
   * Prepares the next page. Call it once the current page has painted, so as not to slow it down.
   */
  prepare: () => void
}

/** A page holds some 40 MB. */
const idleMax = 2
const idleMs = 30_000
const viewport = { width: 1_280, height: 720 }
/** A browser's page cannot be emptied for ever. */
const usesMax = 100

/**
 * Pool of pages: a new one costs a process, a seventh of a second of a core from opening to
 * closing. One spare page is kept for anyone, and each account's recent pages for itself. They end
 * with their browser, so no one has to close them.
 */
export function createBakePages({
  browser,
  fonts,
}: {
  browser: WarmBrowser
  fonts: Fonts
}): BakePages {
  let spare: Promise<EmptyPage | undefined> | undefined
  const idle = new Map<
    string,
    { emptied: Promise<EmptyPage | undefined>; expiry: NodeJS.Timeout }
  >()
  const takeKept = (accountId: string) => {
    const found = idle.get(accountId)
    idle.delete(accountId)
    clearTimeout(found?.expiry)
    return found?.emptied
  }
  const drop = async (accountId: string) => {
    const page = await takeKept(accountId)
    await page?.context.close().catch(() => undefined)
  }
  return {
    async take(accountId) {
      const own = accountId === undefined ? undefined : await takeKept(accountId)
      if (own && isOpen(own)) return own
      const prepared = spare
      spare = undefined
      const ready = await prepared
      return ready && isOpen(ready) ? ready : open({ browser, fonts })
    },
    keep(page, accountId) {
      void drop(accountId)
      const expiry = setTimeout(() => void drop(accountId), idleMs).unref()
      idle.set(accountId, { emptied: emptied(page), expiry })
      const [oldest] = idle.keys()
      if (idle.size > idleMax && oldest !== undefined) void drop(oldest)
    },
    prepare() {
      // A spare that failed to open is opened again when it is needed, and then reports its error.
      spare ??= open({ browser, fonts }).catch(() => undefined)
    },
  }
}

function isOpen({ browser, page }: EmptyPage): boolean {
  return browser.isConnected() && !page.isClosed()
}

/** Returns undefined when the page had to be closed. */
async function emptied(page: EmptyPage): Promise<EmptyPage | undefined> {
  page.uses += 1
  page.pictures.clear()
  try {
    if (page.uses < usesMax) {
      await callInPage(page.page, clear, undefined)
      const { width, height } = page.page.viewportSize() ?? {}
      // Measuring depends on the size of a new page.
      if (width !== viewport.width || height !== viewport.height) {
        await page.page.setViewportSize(viewport)
      }
      return page
    }
  } catch {
    // The page has ended: the next one is opened.
  }
  void page.context.close().catch(() => undefined)
  return undefined
}

async function open({
  browser,
  fonts,
}: {
  browser: WarmBrowser
  fonts: Fonts
}): Promise<EmptyPage> {
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
async function openIn(browser: Browser, fonts: Fonts): Promise<EmptyPage> {
  const context = await browser.newContext({
    javaScriptEnabled: false,
    serviceWorkers: 'block',
    locale: 'en-US',
    timezoneId: 'UTC',
    colorScheme: 'light',
    deviceScaleFactor: 1,
    viewport,
  })
  const pictures = new PagePictures()
  const page = await openBakePage(context, { fonts, pictures })
  const session = await context.newCDPSession(page)
  const color = { r: 0, g: 0, b: 0, a: 0 }
  await session.send('Emulation.setDefaultBackgroundColorOverride', { color })
  const families = new Set<string>(everywhere)
  return { browser, context, page, session, pictures, families, uses: 0 }
}
