import { characterOf } from '../markup/entities.ts'
import { type Caption, captionLimits, wordsIn } from './caption.ts'
import { evenStarts } from './lines.ts'

/** Hours, minutes, seconds and a fraction, each in a group. */
export const clock = String.raw`(?:(\d{1,3}):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})`

/** Of the groups of `clock`; undefined where there are more than 59 minutes or seconds. */
export function secondsOf(parts: readonly (string | undefined)[]): number | undefined {
  const [hours = '0', minutes = '', seconds = '', fraction = ''] = parts
  if (Number(minutes) > 59 || Number(seconds) > 59) return undefined
  const whole = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
  return (whole * 1000 + Number(fraction.padEnd(3, '0'))) / 1000
}

/** Without tags (`<i>`, `<v Ann>`, `<00:01.500>`) and SubStation's `{\an8}`; references read. */
export function plainText(markup: string): string {
  return markup
    .replace(/<\/?[a-z\d][^<>\n]{0,200}>/gi, '')
    .replace(/\{\\[^{}\n]{0,200}\}/g, '')
    .replace(/&(?:[a-z][a-z\d]{1,31}|#\d{1,7}|#x[\da-f]{1,6});/gi, characterOf)
    .replace(/[^\P{Cc}\n\t]/gu, '')
}

const stamp = new RegExp(`<(${clock.replaceAll('(\\d', '(?:\\d')})>`)
const stampParts = new RegExp(`^${clock}$`)

/** From a place in the text on, words are due at `second`. */
type Mark = { readonly offset: number; readonly second: number }

/**
 * The text of a WebVTT cue, and when its words begin if there are timestamps in it
 * (`Hello <00:00:01.500>world`). What stands between two of them shares the time between; one that
 * goes back, or out of the cue, is passed over.
 */
export function timedText(
  markup: string,
  { start, end }: { readonly start: number; readonly end: number },
): Pick<Caption, 'text' | 'wordStarts'> {
  const pieces = markup.split(stamp)
  const marks: Mark[] = [{ offset: 0, second: start }]
  let whole = ''
  for (const [i, piece] of pieces.entries()) {
    if (i % 2 === 0) {
      whole += plainText(piece)
      continue
    }
    const second = secondsOf(stampParts.exec(piece)?.slice(1) ?? [])
    const isDue = second !== undefined && second > (marks.at(-1)?.second ?? start) && second < end
    if (isDue) marks.push({ offset: whole.length, second })
  }
  const text = whole.trim()
  if (marks.length === 1 || text.length > captionLimits.textCharacters) return { text }
  const wordStarts = marks.flatMap(({ offset, second }, i) => {
    const next = marks[i + 1] ?? { offset: whole.length, second: end }
    return evenStarts(wordsFrom(whole, offset, next.offset), { start: second, end: next.second })
  })
  return { text, wordStarts }
}

/** Words whose first letter stands from `from` up to `to`. */
function wordsFrom(text: string, from: number, to: number): string[] {
  const isWithin = from > 0 && wordsIn(text.slice(from - 1, from)).length > 0
  const words = wordsIn(text.slice(from, to))
  const beginsInWord = isWithin && wordsIn(text.slice(from, from + 1)).length > 0
  return beginsInWord ? words.slice(1) : words
}
