import { FarmError } from '../../../core/errors.ts'
import type { BakeDocument } from '../../../core/tasks.ts'
import type { Fonts } from '../fonts.ts'
import type { BakedPicture } from '../paint.ts'
import { memoryExceeded } from './memory.ts'
import { paintMoments } from './moments.ts'
import { openOwnBrowser } from './own-browser.ts'

/** What custom code may use: seconds for each second that it runs, and to begin with; memory. */
export const codeLimits = { secondsEach: 4, secondsFirst: 10, memoryBytes: 2 ** 30 }

export type CodeLimits = typeof codeLimits
export type CodedDocument = BakeDocument & { readonly code: NonNullable<BakeDocument['code']> }

type Moving = {
  readonly document: CodedDocument
  readonly fonts: Fonts
  readonly strictFonts: boolean
  readonly dataDir: string
  readonly isFenced: boolean
  readonly limits: CodeLimits
  readonly signal: AbortSignal
}

/**
 * Paints an element that custom code moves, in a browser of its own that ends with it. FarmError:
 * `element_invalid` with the code's field when it fails, leaves its page or takes too much, `cancelled`
 * on `signal`.
 */
export async function bakeMoving({ signal, limits, ...moving }: Moving): Promise<BakedPicture> {
  const { document, dataDir, isFenced } = moving
  const field = `${document.field}.customCode`
  const own = await openOwnBrowser({ dataDir, isFenced })
  const done = new AbortController()
  const stopped = Promise.withResolvers<FarmError>()
  const fault = (message: string) => {
    stopped.resolve(new FarmError('element_invalid', message, { field }))
  }
  const seconds = document.code.duration * limits.secondsEach + limits.secondsFirst
  const timer = setTimeout(() => fault(tooLong(seconds)), seconds * 1000)
  const onAbort = () => {
    const cause = { cause: signal.reason }
    stopped.resolve(new FarmError('cancelled', 'The bake was cancelled', cause))
  }
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  const { memoryBytes } = limits
  memoryExceeded(own.pid, { limitBytes: memoryBytes, signal: done.signal }).then(
    () => fault(tooMuch(memoryBytes)),
    () => undefined,
  )
  const painting = paintMoments({
    ...moving,
    browser: own.browser,
    field,
    onCrash: () => fault(tooMuch(memoryBytes)),
  })
  try {
    const result = await Promise.race([painting, stopped.promise])
    if (!(result instanceof FarmError)) return result
    throw result
  } catch (error) {
    if (error instanceof FarmError) throw error
    throw new FarmError('internal', 'The browser failed while it painted', { cause: error })
  } finally {
    done.abort()
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
    await own.kill()
    await painting.catch(() => undefined)
  }
}

const tooLong = (seconds: number) =>
  `customCode must be painted within animationDuration x 4 + 10 s, here ${seconds} s. It took longer.`

const tooMuch = (bytes: number) =>
  `customCode must use at most ${bytes / 2 ** 20} MB of memory. It took more, or ended its page.`
