import { FarmError } from '../errors.ts'
import { type Caption, captionLimits } from './caption.ts'
import { clock, plainText, secondsOf, timedText } from './cue-text.ts'
import { countUnspaced, wordsIn } from './words.ts'

export type CaptionFile = {
  readonly format: 'srt' | 'vtt'
  readonly captions: readonly Caption[]
  /** Sentences about cues that are not shown. */
  readonly warnings: readonly string[]
}

/**
 * Reads SRT, or WebVTT (W3C) when it begins so. Markup is dropped, and so are a VTT's notes, styles,
 * regions and settings; its timestamps give words their times. A cue that cannot be used is dropped
 * with a warning. Throws FarmError `media_invalid` or `media_too_large` at `field`, naming the line.
 */
export function parseCaptions(text: string, field: string): CaptionFile {
  const invalid = (message: string) => new FarmError('media_invalid', message, { field })
  // NUL is replaced as by WebVTT's own parser: https://www.w3.org/TR/webvtt1/#webvtt-file-parsing
  const readable = text.replaceAll('\0', '\ufffd')
  const lines = readable.replace(/^\ufeff/, '').split(/\r\n|\n|\r/)
  const first = lines.find((line) => line.trim() !== '') ?? ''
  const isVtt = /^WEBVTT(?:[ \t]|$)/.test(first)
  const strays: Line[] = []
  const captions: Caption[] = []
  const faults: string[] = []
  const counts = { captions: 0, words: 0, unspacedLetters: 0 }
  const seen = new Set<string>()
  for (const cue of cuesOf(lines, { isVtt, onStray: (line) => strays.push(line) })) {
    const caption = captionOf(cue, isVtt)
    if (typeof caption === 'string') faults.push(caption)
    if (caption === undefined || typeof caption === 'string') continue
    const key = JSON.stringify(caption)
    if (seen.has(key)) faults.push(`It repeats an earlier caption (line ${cue[0].number}).`)
    else captions.push(caption)
    seen.add(key)
    counts.captions += 1
    counts.words += wordsIn(caption.text).length
    counts.unspacedLetters += countUnspaced(caption.text)
    assertCounts(counts, field)
  }
  if (captions.length === 0 && isVtt && faults.length === 0) {
    return { format: 'vtt', captions, warnings: ['The file has no captions.'] }
  }
  if (captions.length === 0) {
    const [stray] = strays
    const unread = stray && `${rule} Line ${stray.number} begins no caption. Got ${shown(stray)}.`
    throw invalid(faults[0] ?? unread ?? `${rule} Got none.`)
  }
  return { format: isVtt ? 'vtt' : 'srt', captions, warnings: warningsOf(faults) }
}

const rule = 'A subtitle file must hold captions as SRT or WebVTT.'

const countNames = {
  captions: 'captions',
  words: 'words',
  unspacedLetters: 'letters of scripts without spaces',
} as const

function assertCounts(
  counts: Readonly<Record<keyof typeof countNames, number>>,
  field: string,
): void {
  for (const name of ['captions', 'words', 'unspacedLetters'] as const) {
    if (counts[name] <= captionLimits[name]) continue
    const message = `A subtitle file must have <= ${captionLimits[name]} ${countNames[name]}. Got more.`
    throw new FarmError('media_too_large', message, { field })
  }
}

const warningsMax = 10

function warningsOf(faults: readonly string[]): string[] {
  const listed = faults.slice(0, warningsMax).map((fault) => `A caption is left out. ${fault}`)
  const more = faults.length - listed.length
  return more > 0 ? [...listed, `${more} more captions are left out.`] : listed
}

type Line = { readonly number: number; readonly line: string }
type Cue = readonly [timing: Line, ...text: Line[]]

/**
 * Yields the lines of each cue, its timing line first. A timing line begins a cue, even without an
 * empty line before it. The line above it is its name where that is a number or stands alone. An
 * empty line ends a VTT's cue, but one with a space does not; SRT texts may contain empty lines.
 * `onStray` gets lines before all cues that are no names.
 *
 * An SRT cue whose timing line is lost begins at its number: the one after the last cue's, below an
 * empty line, unless the next timing line has that number.
 */
function* cuesOf(
  lines: readonly string[],
  { isVtt, onStray }: { isVtt: boolean; onStray: (line: Line) => void },
): Generator<Cue> {
  const isTime = isVtt ? isVttTiming : isTiming
  const nextName = isVtt ? undefined : namesAhead(lines)
  let cue: [Line, ...Line[]] | undefined
  let lastNumber: number | undefined
  for (const [i, line] of lines.entries()) {
    const each = { number: i + 1, line }
    if (isTime(line)) {
      if (cue && isName(cue)) cue.pop()
      if (cue) yield cue
      cue = [each]
      lastNumber = numberOf(lines[i - 1])
    } else if (
      lastNumber !== undefined &&
      numberOf(line) === lastNumber + 1 &&
      lines[i - 1]?.trim() === '' &&
      !isTime(lines[i + 1] ?? '') &&
      nextName?.[i] !== lastNumber + 1
    ) {
      if (cue) yield cue
      cue = [each]
      lastNumber += 1
    } else if (isVtt && line === '') {
      if (cue) yield cue
      cue = undefined
    } else if (cue) cue.push(each)
    else if (!isVtt && line.trim() !== '' && !isNumber(line)) onStray(each)
  }
  if (cue) yield cue
}

function isName(cue: readonly Line[]): boolean {
  if (cue.length < 2) return false
  const above = cue.at(-2)
  return isNumber(cue.at(-1)?.line) || (cue.length > 2 && above?.line.trim() === '')
}

/** Answers, for each line, the number of the first cue with a timing line after it. */
function namesAhead(lines: readonly string[]): readonly (number | undefined)[] {
  const names: (number | undefined)[] = []
  let name: number | undefined
  for (let i = lines.length - 1; i >= 0; i -= 1) {
    names[i] = name
    if (isTiming(lines[i] ?? '')) name = numberOf(lines[i - 1])
  }
  return names
}

function numberOf(line = ''): number | undefined {
  return isNumber(line) ? Number(line) : undefined
}

function isNumber(line = ''): boolean {
  return /^\s*\d{1,9}\s*$/.test(line)
}

function shown({ line }: Line): string {
  const words = line.trim()
  return JSON.stringify(words.length > 40 ? `${words.slice(0, 40)}…` : words)
}

/** Returns the caption, a sentence that states its fault, or undefined where it has no text to show. */
function captionOf([timing, ...rest]: Cue, isVtt: boolean): Caption | string | undefined {
  const { line, number } = timing
  const times = timesOf(line)
  if (!times) {
    const wanted = isVtt ? '00:00:01.000 --> 00:00:02.000' : '00:00:01,000 --> 00:00:02,000'
    return `Its times must be written like ${wanted}. Got ${shown(timing)} (line ${number}).`
  }
  const [begin, end] = times
  const start = Math.max(0, begin)
  if (end <= begin) {
    return `Its end must be > its start, s. Got ${end}, but it starts at ${begin} (line ${number}).`
  }
  if (end <= 0) return `It must end after the film begins. Got ${end} s (line ${number}).`
  const markup = rest.map((each) => each.line).join('\n')
  const said = isVtt ? timedText(markup, { start, end }) : { text: plainText(markup).trim() }
  const { text } = said
  if (text.length > captionLimits.textCharacters) {
    const most = `Its text must have <= ${captionLimits.textCharacters} characters.`
    return `${most} Got ${text.length} (line ${number}).`
  }
  return text === '' ? undefined : { start, end, ...said }
}

const arrow = /\s{0,9}-{1,3}\s?>\s{0,9}/.source
const timing = new RegExp(`^\\s{0,9}(-?)${clock}${arrow}(-?)${clock}(?=\\s|$)`)

const unreadableClock = String.raw`(?:-?[\d\uff10-\uff19?]{1,4}|NaN)(?:[:\uff1a][\w\uff10-\uff19?]{1,9}){2}(?:[.,;'\u2019\uff0c][\w\uff10-\uff19?]{1,9})?|undefined|null|NaN`
const anyArrow = String.raw`\s{0,9}(?:-{1,3}\s?>|-{1,3}&gt;|\u2192|[\u2013\u2014=]>|[-\u2013\u2014])\s{0,9}`
const unreadableTiming = new RegExp(
  `^\\s{0,9}(?:${unreadableClock})${anyArrow}(?:${unreadableClock})\\s{0,9}$`,
)

/** True for a WebVTT's timing line, readable or not: its texts may not hold the arrow. */
function isVttTiming(line: string): boolean {
  return line.includes('-->') || timing.test(tight(line))
}

/** True for a timing line, readable or not. An arrow alone may also be text. */
function isTiming(line: string): boolean {
  if (timing.test(tight(line)) || unreadableTiming.test(line.slice(0, 200))) return true
  return /^[\s\d:.,;-]{0,40}-->[\s\d:.,;-]{0,40}/.exec(line)?.[0].match(/\d/) != null
}

/** Removes the spaces that some programs leave around the punctuation of a time. */
function tight(line: string): string {
  return line.slice(0, 200).replace(/(?<=\d)\s?([:.,])\s?(?=\d)/g, '$1')
}

function timesOf(line: string): readonly [number, number] | undefined {
  const found = timing.exec(tight(line))?.slice(1)
  if (!found) return undefined
  const [start, end] = [secondsOf(found.slice(1, 5)), secondsOf(found.slice(6, 10))]
  if (start === undefined || end === undefined) return undefined
  return [found[0] === '-' ? -start : start, found[5] === '-' ? -end : end]
}
