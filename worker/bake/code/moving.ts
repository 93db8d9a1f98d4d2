import { FarmError } from '../../../core/errors.ts'
import type { Cutter } from '../cutter.ts'
import type { Fonts } from '../fonts.ts'
import type { BakedPicture } from '../paint.ts'
import { paintMoments } from './animation.ts'
import { startCodeClock, timesInAll } from './code-clock.ts'
import type { CodedDocument } from './coded-document.ts'
import { memoryExceeded } from './memory.ts'
import type { OwnStages } from './own-stages.ts'

/**
 * Limits of custom code: processor seconds per second of run time plus a base amount, and memory.
 */
export const codeLimits = { secondsEach: 4, secondsFirst: 10, memoryBytes: 2 ** 30 }

export type CodeLimits = typeof codeLimits

type Moving = {
  readonly document: CodedDocument
  readonly fonts: Fonts
  readonly cutter: Cutter
  readonly strictFonts: boolean
  readonly stages: OwnStages
  /** True when another element needs a browser after this one. */
  readonly hasNext: boolean
  readonly limits: CodeLimits
  readonly signal: AbortSignal
}

/**
 * Paints an element that custom code moves, in a browser of its own that ends with it. One deadline
 * covers all of it and does not depend on the browser: every ending kills its processes without
 * waiting for them. FarmError: `element_invalid` with the code's field when it fails, leaves its
 * page or takes too much, `cancelled` on `signal`.
 */
export async function bakeMoving({
  signal,
  limits,
  hasNext,
  ...moving
}: Moving): Promise<BakedPicture> {
  const { document, stages } = moving
  const field = `${document.field}.customCode`
  if (signal.aborted) throw cancelled(signal)
  const own = await stages.take()
  const over = new AbortController()
  const seconds = document.code.duration * limits.secondsEach + limits.secondsFirst
  const clock = startCodeClock(seconds * 1000)
  const fault = (message: string) => new FarmError('element_invalid', message, { field })
  const crash = Promise.withResolvers<FarmError>()
  own.stage.page.once('crash', () => crash.resolve(fault(tooMuch(limits))))
  try {
    const result = await Promise.race([
      paintMoments({
        ...moving,
        stage: own.stage,
        field,
        clock,
        onReady: () => hasNext && stages.prepare(),
      }),
      crash.promise,
      clock.over.then((which) => fault(tooLong(seconds, which, limits))),
      memoryExceeded(own.pid, { limitBytes: limits.memoryBytes, signal: over.signal }).then(() =>
        fault(tooMuch(limits)),
      ),
      aborted(signal, over.signal),
    ])
    if (!(result instanceof FarmError)) return result
    throw result
  } catch (error) {
    if (error instanceof FarmError) throw error
    throw new FarmError('internal', 'The browser failed while it painted', { cause: error })
  } finally {
    over.abort()
    clock.stop()
    if (!hasNext) stages.prepareLater()
    await own.kill()
  }
}

function aborted(signal: AbortSignal, over: AbortSignal): Promise<FarmError> {
  return new Promise((resolve) => {
    const onAbort = () => resolve(cancelled(signal))
    signal.addEventListener('abort', onAbort, { once: true, signal: over })
    if (signal.aborted) onAbort()
  })
}

const cancelled = (signal: AbortSignal) =>
  new FarmError('cancelled', 'The bake was cancelled', { cause: signal.reason })

function tooLong(
  seconds: number,
  which: 'own' | 'all',
  { secondsEach, secondsFirst }: CodeLimits,
): string {
  const formula = `animationDuration x ${secondsEach} + ${secondsFirst} s`
  return which === 'own'
    ? `customCode must be painted within ${formula}, here ${seconds} s. It took longer.`
    : `customCode must be painted within ${timesInAll} times ${formula} with all its pictures, here ${seconds * timesInAll} s. It took longer.`
}

const tooMuch = ({ memoryBytes }: CodeLimits) =>
  `customCode must use at most ${memoryBytes / 2 ** 20} MB of memory. It took more, or ended its page.`
