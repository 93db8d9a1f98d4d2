import { setTimeout as delay } from 'node:timers/promises'
import { FarmError } from '../../core/errors.ts'
import { styleFaults } from '../../core/markup/css.ts'
import { htmlFaults } from '../../core/markup/html.ts'
import { svgFaults } from '../../core/markup/svg.ts'
import type { Log } from '../../runtime/log.ts'
import type { Sandbox } from '../process/sandbox.ts'
import { createWarmBrowser, type WarmBrowser } from './browser.ts'
import type { CodedDocument } from './code/coded-document.ts'
import { bakeMoving, type CodeLimits, codeLimits as defaultCodeLimits } from './code/moving.ts'
import { createOwnStages } from './code/own-stages.ts'
import { type Cutter, createCutter } from './cutter.ts'
import { createFonts, type Fonts } from './fonts.ts'
import { type DocumentToPaint, pagesOf, pictureAttributes } from './page-pictures.ts'
import { type BakePages, createBakePages, type EmptyPage } from './pages.ts'
import { type BakedPicture, mountElementOf, paintElements } from './paint.ts'

/** Documents per page; more would make one page too large to lay out in time. */
const maxTogether = 50

/** Fifty elements take a quarter of a second; beyond this limit the page hangs. */
const defaultLimitMs = { together: 20_000, alone: 10_000 }
const closeLimitMs = { cancelled: 2_000, late: 20_000 }

export type Baker = {
  /**
   * Paints documents, in their order. A document gives the same bytes whatever is painted beside
   * it. FarmError: `element_invalid` with the document's field when its content breaks a rule or
   * hangs the browser, `internal` when the browser dies, `cancelled` on `signal`. The page is
   * cached for a while for `accountId`; without one it is closed.
   */
  bake: (
    documents: readonly DocumentToPaint[],
    signal: AbortSignal,
    accountId?: string,
  ) => Promise<BakedPicture[]>
  close: () => Promise<void>
}

/**
 * Creates a baker with one warm Chromium, started by the first bake. `dataDir`: for the browser's
 * home. `strictFonts`: a family or character that no font has fails the bake instead of giving a
 * warning. `sandbox`: fence for customers' code; absent = the browser's own only. `limitMs`: time
 * limits of a batch and of a single document.
 */
export function createBaker({
  log,
  dataDir,
  strictFonts = false,
  limitMs = defaultLimitMs,
  sandbox,
  codeLimits = defaultCodeLimits,
}: {
  log: Log
  dataDir: string
  strictFonts?: boolean
  limitMs?: Limits
  sandbox?: Sandbox
  codeLimits?: CodeLimits
}): Baker {
  const browser = createWarmBrowser({ log, dataDir })
  const fonts = createFonts()
  const cutter = createCutter()
  const pages = createBakePages({ browser, fonts })
  const stages = createOwnStages({ dataDir, sandbox, fonts })
  return {
    async bake(documents, signal, accountId) {
      for (const document of documents) assertContent(document)
      const pictures = new Map<DocumentToPaint, BakedPicture>()
      const [still, moving] = partition(documents)
      if (moving.length > 0 && still.length > 0) stages.prepare()
      for (const some of pagesOf(still, maxTogether)) {
        const batch = { browser, fonts, cutter, strictFonts, pages, documents: some, signal }
        const painted = await bakeTogether({ ...batch, accountId, limitMs })
        for (const [i, document] of some.entries())
          pictures.set(document, painted[i] as BakedPicture)
      }
      const rest = { fonts, cutter, strictFonts, stages, limits: codeLimits, signal }
      for (const [i, document] of moving.entries()) {
        const hasNext = i < moving.length - 1
        pictures.set(document, await bakeMoving({ document, hasNext, ...rest }))
      }
      if (still.length > 0) pages.prepare()
      return documents.map((document) => pictures.get(document) as BakedPicture)
    },
    async close() {
      await Promise.all([browser.close(), stages.close(), cutter.close()])
    },
  }
}

function partition(documents: readonly DocumentToPaint[]): [DocumentToPaint[], CodedDocument[]] {
  const isCoded = (document: DocumentToPaint): document is CodedDocument =>
    document.code !== undefined
  return [documents.filter((document) => !isCoded(document)), documents.filter(isCoded)]
}

/** Repeats the API's check: a node trusts no one. */
function assertContent(document: DocumentToPaint): void {
  const { kind, markup, style, field } = document
  const faults = [
    ...(kind === 'html' ? htmlFaults(markup, pictureAttributes(document)) : svgFaults(markup)),
    ...styleFaults(style).map(({ property, message }) => `style.${property}: ${message}`),
  ]
  if (faults.length > 0) throw new FarmError('element_invalid', faults.join('; '), { field })
}

type Limits = { readonly together: number; readonly alone: number }

type Batch = {
  readonly browser: WarmBrowser
  readonly fonts: Fonts
  readonly cutter: Cutter
  readonly strictFonts: boolean
  readonly pages: BakePages
  readonly documents: readonly DocumentToPaint[]
  readonly signal: AbortSignal
  readonly accountId: string | undefined
}

/**
 * Paints a batch. When its page hangs, each document gets a page of its own, to find the culprit.
 */
async function bakeTogether({
  documents,
  limitMs,
  ...rest
}: Batch & { limitMs: Limits }): Promise<BakedPicture[]> {
  if (documents.length > 1) {
    const pictures = await paintOnce({ ...rest, documents, limitMs: limitMs.together })
    if (pictures) return pictures
  }
  const alone: BakedPicture[] = []
  for (const document of documents) {
    const pictures = await paintOnce({ ...rest, documents: [document], limitMs: limitMs.alone })
    if (!pictures) {
      const message = `An element is painted within ${limitMs.alone / 1000} s. This one took longer`
      throw new FarmError('element_invalid', message, { field: document.field })
    }
    alone.push(...pictures)
  }
  return alone
}

/** Returns undefined when the time is over. */
async function paintOnce({
  browser,
  fonts,
  cutter,
  strictFonts,
  pages,
  documents,
  signal,
  accountId,
  limitMs,
}: Batch & { limitMs: number }): Promise<BakedPicture[] | undefined> {
  assertNotCancelled(signal)
  const page = await pages.take(accountId)
  const either = AbortSignal.any([AbortSignal.timeout(limitMs), signal])
  const ended = Promise.withResolvers<'ended'>()
  either.addEventListener('abort', () => ended.resolve('ended'), { once: true })
  if (either.aborted) ended.resolve('ended')
  const painting = paint({ page, fonts, cutter, strictFonts, documents })
  painting.catch(() => closeSoon(page, browser))
  const result = await Promise.race([painting, ended.promise])
  if (result !== 'ended') {
    if (accountId === undefined) void closeSoon(page, browser)
    else pages.keep(page, accountId)
    return result
  }
  const settled = painting.then(
    () => true,
    () => true,
  )
  // A cancelled page ends by closing; a page that hangs cannot be closed.
  if (signal.aborted) void page.context.close().catch(() => undefined)
  const isSettled =
    signal.aborted && (await Promise.race([settled, delay(closeLimitMs.cancelled, false)]))
  if (!isSettled) await browser.kill(page.browser)
  await settled
  assertNotCancelled(signal)
  return undefined
}

function assertNotCancelled(signal: AbortSignal): void {
  if (!signal.aborted) return
  throw new FarmError('cancelled', 'The bake was cancelled', { cause: signal.reason })
}

async function paint({
  page,
  fonts,
  cutter,
  strictFonts,
  documents,
}: {
  page: EmptyPage
  fonts: Fonts
  cutter: Cutter
  strictFonts: boolean
  documents: readonly DocumentToPaint[]
}): Promise<BakedPicture[]> {
  try {
    const elements = documents.map(mountElementOf)
    const fields = documents.map(({ field }) => field)
    page.pictures.show(documents)
    const painting = { ...page, fonts, cutter, strictFonts, elements, fields }
    const pictures = await paintElements(painting)
    page.pictures.assertAllRead()
    return pictures
  } catch (error) {
    if (error instanceof FarmError) throw error
    throw new FarmError('internal', 'The browser failed while it painted', { cause: error })
  }
}

/** Closes the page in the background; a page that cannot be closed ends with its browser. */
async function closeSoon(page: EmptyPage, browser: WarmBrowser): Promise<void> {
  // A context whose browser is gone cannot be closed and need not be.
  if (!page.browser.isConnected()) return
  const closing = page.context.close().then(
    () => true,
    () => true,
  )
  const waited = new AbortController()
  const late = delay(closeLimitMs.late, false, { ref: false, signal: waited.signal })
  const isClosed = await Promise.race([closing, late])
  waited.abort()
  if (!isClosed) await browser.kill(page.browser)
}
