import { setTimeout as delay } from 'node:timers/promises'
import { FarmError } from '../../../core/errors.ts'
import type { Sandbox } from '../../sandbox.ts'
import type { Fonts } from '../fonts.ts'
import { type OwnBrowser, openOwnBrowser } from './own-browser.ts'
import { type OpenStage, openStage } from './stage.ts'

/** With one empty page, in which nobody's code has run. */
export type OwnStage = OwnBrowser & { readonly stage: OpenStage }

/** Browsers for one element each. */
export type OwnStages = {
  /** The caller kills it. */
  take: () => Promise<OwnStage>
  /** Makes the next one ready, for a while. */
  prepare: () => void
  /** The same when the film that asked for the last one is on its way. */
  prepareLater: () => void
  close: () => Promise<void>
}

const openLimitMs = 30_000
/** A spare holds some 90 MB: it goes when nobody asked for it for so long. */
const spareMs = 120_000
/** Beside an element's moments the start of the next browser takes a third of two cores from them. */
const laterMs = 5_000

/**
 * A browser and its page take half a second of a core and more: once one was needed, the next one is kept
 * ready. What is kept is as strictly fenced as what was just started, because it is the same.
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
    // A spare that cannot be made is made again, and its fault told, when it is needed.
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
