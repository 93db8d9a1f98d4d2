import { FarmError } from '../../core/errors.ts'

/**
 * Seconds of one core per character that Chromium takes to break text into lines and shape it,
 * measured with 20,000 characters of each kind. Marks on one letter cost the square of their
 * number; Thai, Khmer and Han need dictionaries and fall-back fonts.
 */
const secondsOf = { latin: 2e-6, other: 20e-6, turn: 60e-6, markPair: 65e-9 } as const
/** Some 50,000 characters of Thai: far more than can be read in an element. */
const maxTextSeconds = 1

const beyondLatin = /[\u0250-\u{10ffff}]/gu
const markRuns = /\p{M}{2,}/gu
/** Places where the reading direction turns. */
const turns = /\p{Script=Latin}[\p{Script=Hebrew}\p{Script=Arabic}]/gu

/**
 * Refuses excessive text before its layout, which cannot be interrupted.
 * @throws FarmError element_invalid at `field`
 */
export function assertTextEffort(text: string, field: string): void {
  const others = count(text, beyondLatin)
  const runs = [...text.matchAll(markRuns)].map(([run]) => run.length)
  const parts = [
    ['Latin letters', (text.length - others) * secondsOf.latin],
    ['other characters', others * secondsOf.other],
    ['turns of direction', 2 * count(text, turns) * secondsOf.turn],
    ['marks on one letter', runs.reduce((sum, run) => sum + run ** 2 * secondsOf.markPair, 0)],
  ] as const
  const seconds = parts.reduce((sum, [, each]) => sum + each, 0)
  if (seconds <= maxTextSeconds) return
  const [most] = parts.toSorted((a, b) => b[1] - a[1])
  const rule = `The text of an element must be laid out within ${maxTextSeconds} s`
  const got = `These ${text.length} characters would take some ${Math.ceil(seconds)} s`
  throw new FarmError('element_invalid', `${rule}. ${got}, most of it for ${most?.[0]}`, { field })
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}
