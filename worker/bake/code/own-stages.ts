import { setTimeout as delay } from 'node:timers/promises'
import { FarmError } from '../../../core/errors.ts'
import type { Sandbox } from '../../process/sandbox.ts'
import type { Fonts } from '../fonts.ts'
import { type OwnBrowser, openOwnBrowser } from './own-browser.ts'
import { type OpenStage, openStage } from './stage.ts'

/** Browser with one empty page, in which no custom code has run. */
export type OwnStage = OwnBrowser & { readonly stage: OpenStage }

/** Pool of browsers for one element each. */
export type OwnStages = {
  /** Returns a ready browser; the caller kills it. */
  take: () => Promise<OwnStage>
  /** Prepares the next browser and keeps it for a while. */
  prepare: () => void
  /** Prepares the next browser after a delay, once the current element is well under way. */
  prepareLater: () => void
  close: () => Promise<void>
}

const openLimitMs = 30_000
/** A spare holds some 90 MB: it is killed when unused for this long. */
const spareMs = 120_000
/**
 * Started at once, the next browser would take a third of two cores from the current element's
 * frames.
 */
const laterMs = 5_000

/**
 * Opens browsers and keeps one spare after the first use, as a browser and its page take half a
 * second of a core and more. A spare is fenced like a new browser.
 */
export function createOwnStages(options: {
  dataDir: string
  sandbox: Sandbox | undefined
  fonts: Fonts
}): OwnStages {
  let spare: Promise<OwnStage | undefined> | undefined
  let expiry: NodeJS.Timeout | undefined
  let later: NodeJS.Timeout | undefined
  let isClosed = false
  const drop = async () => {
    const dropped = spare
    spare = undefined
    await (await dropped)?.kill()
  }
  const prepare = () => {
    clearTimeout(later)
    later = undefined
    if (spare || isClosed) return
    // A spare that failed to open is opened again when it is needed, and then reports its error.
    spare = open(options).catch(() => undefined)
    clearTimeout(expiry)
    expiry = setTimeout(() => void drop(), spareMs).unref()
  }
  return {
    async take() {
      clearTimeout(expiry)
      const prepared = spare
      spare = undefined
      const ready = await prepared
      if (ready?.browser.isConnected()) return ready
      await ready?.kill()
      return open(options)
    },
    prepare,
    prepareLater() {
      later ??= setTimeout(prepare, laterMs).unref()
    },
    async close() {
      isClosed = true
      clearTimeout(later)
      clearTimeout(expiry)
      await drop()
    },
  }
}

async function open({
  dataDir,
  sandbox,
  fonts,
}: {
  dataDir: string
  sandbox: Sandbox | undefined
  fonts: Fonts
}): Promise<OwnStage> {
  const own = await openOwnBrowser({ dataDir, sandbox })
  const over = new AbortController()
  const late = async (): Promise<never> => {
    await delay(openLimitMs, undefined, { signal: over.signal })
    throw new Error(`A page must be open within ${openLimitMs / 1000} s. It was not`)
  }
  const ended = Promise.withResolvers<never>()
  own.browser.once('disconnected', () => ended.reject(new Error('The browser ended')))
  const opening = openStage({ browser: own.browser, fonts })
  try {
    return { ...own, stage: await Promise.race([opening, late(), ended.promise]) }
  } catch (error) {
    await own.kill()
    throw new FarmError('internal', 'The browser failed while it started', { cause: error })
  } finally {
    over.abort()
  }
}
