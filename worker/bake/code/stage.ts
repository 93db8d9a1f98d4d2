import { setTimeout as delay } from 'node:timers/promises'
import type { Browser, CDPSession, Page } from 'playwright-core'
import { FarmError } from '../../../core/errors.ts'
import type { Fonts } from '../fonts.ts'
import { loadFaces } from '../page/dress.ts'
import { answerRequests, callInPage, codePolicy, loadFarm, openPage } from '../page/page.ts'
import { PagePictures } from '../page-pictures.ts'
import { ownFailures } from '../paint.ts'
import { createCamera } from './camera.ts'
import { freezeClock } from './clock.ts'
import type { CodeClock } from './code-clock.ts'

/** Start of every element's time: Saturday, 1 January 2000, 12:00 UTC. */
const epochSeconds = 946_728_000
const seed = 1
/**
 * Browser time in which the page loads, before the element's begins. Whole numbers from the page's
 * beginning are exact, so that no animation differs minimally.
 */
const beforeMs = 1_000

/** Empty page whose time stands still. No custom code has run in it. */
export type OpenStage = {
  readonly page: Page
  readonly session: CDPSession
  readonly pictures: PagePictures
  /** Lets uncounted time pass while the page is made ready. */
  readonly during: <T>(work: Promise<T>) => Promise<T>
  /** Advances the page's own time to a moment, ms. */
  readonly pass: (ms: number) => Promise<void>
  /** Browser tick at which the page's time was stopped, ms. */
  readonly firstTick: number
  /** Name of the page's FrameClock, for the session. */
  readonly clockId: string
}

export async function openStage({
  browser,
  fonts,
}: {
  browser: Browser
  fonts: Fonts
}): Promise<OpenStage> {
  const context = await browser.newContext({
    serviceWorkers: 'block',
    acceptDownloads: false,
    locale: 'en-US',
    timezoneId: 'UTC',
    colorScheme: 'light',
    deviceScaleFactor: 1,
  })
  const pictures = new PagePictures()
  await answerRequests(context, { fonts, pictures, policy: codePolicy })
  const clockText = `(${freezeClock})(${JSON.stringify({ epoch: epochSeconds * 1000, seed })})`
  await context.addInitScript(clockText)
  const page = await openControlledPage(browser, context)
  const session = await context.newCDPSession(page)
  const firstTick = await stopTime(session)
  const pass = passer(session)
  const during = duringTime(pass)
  await openPage(page)
  await during(untilRead(session))
  await loadFarm(page, fonts)
  ownFailures(await during(callInPage(page, loadFaces, { text: '' })), [])
  const takeClock = 'var clock = globalThis.farmClock; delete globalThis.farmClock; clock'
  const taken = await session.send('Runtime.evaluate', { expression: takeClock })
  return { page, session, pictures, during, pass, firstTick, clockId: taken.result.objectId ?? '' }
}

/** Page from the moment it is handed to custom code. */
export type Play = {
  /** Runs custom code in the page. From here on nothing in the page can be trusted. */
  run: (js: string) => Promise<void>
  /**
   * Lets time pass until `ms` after the beginning and makes one frame. Returns its PNG, `same` when
   * it looks like the one before, or undefined when it is not to be seen.
   */
  frame: (ms: number, isSeen: boolean) => Promise<Buffer | 'same' | undefined>
}

export function play(
  { page, session, pass, firstTick, clockId }: OpenStage,
  { field, clock }: { field: string; clock: CodeClock },
): Play {
  let hasLeft = false
  const camera = createCamera(session, clock)
  const leave = () => {
    hasLeft = true
  }
  const call = async (functionDeclaration: string, ...values: number[]) => {
    const given = values.map((value) => ({ value }))
    await session.send('Runtime.callFunctionOn', {
      objectId: clockId,
      functionDeclaration,
      arguments: given,
    })
  }
  const onceGone = async <T>(work: Promise<T>): Promise<T> => {
    const result = await work.catch((error: unknown) => {
      if (!hasLeft && !page.isClosed()) throw error
      return undefined
    })
    if (!hasLeft && !page.isClosed()) return result as T
    const message = 'customCode must stay on its page. It left it.'
    throw new FarmError('element_invalid', message, { field })
  }
  return {
    run: (js) =>
      onceGone(
        (async () => {
          // The start does not depend on how long the page took to load: the browser's own clocks
          // show the same.
          await pass(beforeMs - slackMs)
          await session.send('Runtime.evaluate', { expression: begin })
          await onLeaving(session, leave)
          await runCode(session, { js, field })
          await call('function () { this.announce() }')
        })(),
      ),
    frame: (ms, isSeen) =>
      onceGone(
        (async () => {
          // The page handles both in this order; separate calls would cost a millisecond more.
          await Promise.all([call('function (ms) { this.set(ms) }', ms), pass(beforeMs + ms)])
          const tick = firstTick + beforeMs + ms + tickRoundingMs
          if (isSeen) return camera.film(tick)
          await camera.skip(tick)
          return undefined
        })(),
      ),
  }
}

async function untilRead(session: CDPSession): Promise<void> {
  const state = { expression: 'document.readyState' }
  while ((await session.send('Runtime.evaluate', state)).result.value === 'loading') await delay(1)
}

/**
 * Lets a little time pass until `work` is done: a page whose time stands still parses and loads
 * nothing.
 */
function duringTime(pass: (ms: number) => Promise<void>) {
  let ms = 0
  return async <T>(work: Promise<T>): Promise<T> => {
    let isDone = false
    const finish = () => {
      isDone = true
    }
    work.then(finish, finish)
    while (!isDone && ms < beforeMs - 1) {
      ms += 0.1
      await pass(ms)
      await delay(1)
    }
    return work
  }
}

async function openControlledPage(
  browser: Browser,
  context: Awaited<ReturnType<Browser['newContext']>>,
): Promise<Page> {
  const root = await browser.newBrowserCDPSession()
  const { browserContextIds } = await root.send('Target.getBrowserContexts')
  const browserContextId = browserContextIds.at(-1)
  if (!browserContextId) throw new Error('The browser must know the context that it made')
  const opened = context.waitForEvent('page')
  const target = { url: 'about:blank', browserContextId, enableBeginFrameControl: true }
  await root.send('Target.createTarget', target)
  await root.detach()
  return opened
}

/** Starts the page's time. Animations of the style sheet begin with the first frame. */
const begin = `delete globalThis.farm; document.querySelector('style.until-time-begins').remove()`

/** Stops the browser's own clocks. Returns that tick, ms. */
async function stopTime(session: CDPSession): Promise<number> {
  const { virtualTimeTicksBase } = await session.send('Emulation.setVirtualTimePolicy', {
    policy: 'pause',
    initialVirtualTime: epochSeconds - beforeMs / 1000,
  })
  return virtualTimeTicksBase
}

/**
 * Calls `leave` when the page asks to navigate away, before it answers anything else: the result
 * does not depend on how soon it goes.
 */
async function onLeaving(session: CDPSession, leave: () => void): Promise<void> {
  await session.send('Page.enable')
  const { frameTree } = await session.send('Page.getFrameTree')
  const { id } = frameTree.frame
  session.on('Page.frameRequestedNavigation', ({ frameId }) => frameId === id && leave())
  session.on('Page.frameNavigated', ({ frame }) => frame.id === id && leave())
}

/**
 * Runs the code. An error during its start is reported; a later one fails in the page, as on any
 * other.
 */
async function runCode(
  session: CDPSession,
  { js, field }: { js: string; field: string },
): Promise<void> {
  const { exceptionDetails } = await session.send('Runtime.evaluate', {
    expression: js,
    silent: true,
    allowUnsafeEvalBlockedByCSP: false,
  })
  if (!exceptionDetails) return
  const { exception, text, lineNumber } = exceptionDetails
  const seen = (exception?.description ?? exception?.value ?? text).toString().split('\n', 1)[0]
  const message = `customCode.js must run. Got ${seen.slice(0, 300)} in line ${lineNumber + 1}.`
  throw new FarmError('element_invalid', message, { field: `${field}.js` })
}

/** A timer due exactly at a frame's time runs before the frame. */
const slackMs = 0.5

/**
 * Returns a function that advances the page's own time; it resolves when everything due by then has
 * run. A page that hangs leaves it pending: the deadline covers that (moving.ts).
 */
function passer(session: CDPSession): (ms: number) => Promise<void> {
  let passed = 0
  return async (ms) => {
    const budget = Math.max(0.001, Math.round((ms + slackMs - passed) * 1000) / 1000)
    passed += budget
    const expired = new Promise((done) => session.once('Emulation.virtualTimeBudgetExpired', done))
    await session.send('Emulation.setVirtualTimePolicy', { policy: 'advance', budget })
    await expired
  }
}

/** The browser truncates a tick to a microsecond: this keeps 0.3 from becoming 0.299. */
const tickRoundingMs = 0.0003
