import { characterOf } from '../markup/entities.ts'
import { type Caption, captionLimits } from './caption.ts'
import { evenStarts } from './lines.ts'
import { placedWords } from './words.ts'

/** Groups for hours, minutes, seconds and a fraction; hours and fraction are optional. */
export const clock = String.raw`(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})(?:[.,](\d{1,9}))?`

/** Seconds from the groups of `clock`; undefined for more than 59 minutes or seconds. */
export function secondsOf(parts: readonly (string | undefined)[]): number | undefined {
  const [hours = '0', minutes = '', seconds = '', fraction = ''] = parts
  if (Number(minutes) > 59 || Number(seconds) > 59) return undefined
  const whole = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
  return (whole * 1000 + Number(fraction.slice(0, 3).padEnd(3, '0'))) / 1000
}

/** Tags (`<i>`, `<v Ann>`, `<00:01.500>`), also with inner spaces where they are unambiguous. */
const tags = [
  /<\/?[a-z][^<>\n]{0,200}>/gi,
  /<\d[\d:.,]{0,20}>/g,
  /<\s*\/?\s*(?:b|i|u|s|font)\s*>/gi,
]
/** SubStation's `{\an8}` and MicroDVD's `{y:i}`. */
const overrides = [/\{\\[^{}\n]{0,200}\}/g, /\{[ycfsp]:[^{}\n]{0,100}\}/gi]
/** Line breaks: `<br>`, and SubStation's `\N` and `\n`. Ruby readings (`<rt>`) are dropped. */
const breaks = [/<\s*br\s*\/?\s*>/gi, /\\n/gi]
const readings = /<rt>[^<\n]{0,200}<\/rt>/gi

/** Returns the text of a cue without its markup; character references are decoded. */
export function plainText(markup: string): string {
  const rows = breaks.reduce((text, mark) => text.replace(mark, '\n'), markup)
  return [readings, ...tags, ...overrides]
    .reduce((text, mark) => text.replace(mark, ''), rows)
    .replace(/\\h/g, '\u00a0')
    .replace(/&(?:[a-z][a-z\d]{1,31}|#\d{1,7}|#x[\da-f]{1,6});/gi, characterOf)
    .replace(/[^\P{Cc}\n\t]/gu, '')
}

const stamp = new RegExp(`<(${clock.replaceAll('(\\d', '(?:\\d')})>`)
const stampParts = new RegExp(`^${clock}$`)

/** A time mark: words from `offset` on are due at `second`. */
type Mark = { readonly offset: number; readonly second: number }

/**
 * Returns the text of a WebVTT cue, and when its words begin if it has timestamps
 * (`Hello <00:00:01.500>world`). Words between two timestamps share the time between them. A
 * timestamp that goes back, or leaves the cue, is ignored.
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
  const words = placedWords(whole)
  const wordStarts = marks.flatMap(({ offset, second }, i) => {
    const next = marks[i + 1] ?? { offset: whole.length, second: end }
    const due = words.filter(({ at }) => at >= offset && at < next.offset).map((word) => word.text)
    return evenStarts(due, { start: second, end: next.second })
  })
  return { text, wordStarts }
}
