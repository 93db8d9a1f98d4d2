import { FarmError } from '../errors.ts'
import { type Caption, captionLimits, wordsIn } from './caption.ts'
import { clock, plainText, secondsOf, timedText } from './cue-text.ts'

export type CaptionFile = {
  readonly format: 'srt' | 'vtt'
  readonly captions: readonly Caption[]
}

/**
 * Reads SRT, or WebVTT (W3C) when it begins so. Markup is left out, and so are a VTT's notes, styles,
 * regions and settings; its timestamps give words their times. Throws FarmError `media_invalid` or
 * `media_too_large` at `field`, naming the line.
 */
export function parseCaptions(text: string, field: string): CaptionFile {
  const invalid = (message: string) => new FarmError('media_invalid', message, { field })
  if (text.includes('\0')) throw invalid(`${rule} Got a file with NUL bytes.`)
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|\n|\r/)
  const isVtt = /^WEBVTT(?:[ \t]|$)/.test(lines[0] ?? '')
  const captions: Caption[] = []
  let words = 0
  for (const cue of cuesOf(lines, { isVtt, invalid })) {
    const caption = captionOf(cue, { isVtt, invalid })
    if (!caption) continue
    captions.push(caption)
    words += wordsIn(caption.text).length
    assertCount('captions', captions.length, field)
    assertCount('words', words, field)
  }
  if (captions.length === 0) throw invalid(`${rule} Got none.`)
  return { format: isVtt ? 'vtt' : 'srt', captions }
}

const rule = 'A subtitle file must hold captions as SRT or WebVTT.'

function assertCount(name: 'captions' | 'words', count: number, field: string): void {
  if (count <= captionLimits[name]) return
  const message = `A subtitle file must have <= ${captionLimits[name]} ${name}. Got more.`
  throw new FarmError('media_too_large', message, { field })
}

type Line = { readonly number: number; readonly line: string }

/**
 * The lines of each cue, its times first. A line of times begins one, also where no empty line stands
 * before it, and the number above it is its own. An empty line ends a VTT's; SRT has texts with empty
 * lines in them.
 */
function* cuesOf(
  lines: readonly string[],
  { isVtt, invalid }: { isVtt: boolean; invalid: (message: string) => FarmError },
): Generator<Line[]> {
  let cue: Line[] | undefined
  for (let i = isVtt ? 1 : 0; i < lines.length; i += 1) {
    const each = { number: i + 1, line: lines[i] ?? '' }
    const isEmpty = each.line.trim() === ''
    if (each.line.includes('-->')) {
      if (cue) yield isNumber(cue.at(-1)?.line) ? cue.slice(0, -1) : cue
      cue = [each]
    } else if (cue && isVtt && isEmpty) {
      yield cue
      cue = undefined
    } else if (cue) cue.push(each)
    else if (!isVtt && !isEmpty && !isNumber(each.line)) {
      throw invalid(`${rule} Line ${each.number} begins no caption. Got ${shown(each)}.`)
    }
  }
  if (cue) yield cue
}

function isNumber(line = ''): boolean {
  return /^\s*\d{1,9}\s*$/.test(line)
}

function shown({ line }: Line): string {
  const words = line.trim()
  return JSON.stringify(words.length > 40 ? `${words.slice(0, 40)}…` : words)
}

/** Undefined for a caption without text, which shows nothing. */
function captionOf(
  [timing, ...rest]: readonly Line[],
  { isVtt, invalid }: { isVtt: boolean; invalid: (message: string) => FarmError },
): Caption | undefined {
  if (!timing) return undefined
  const { line, number } = timing
  const times = timesOf(line)
  if (!times) {
    const wanted = isVtt ? '00:00:01.000 --> 00:00:02.000' : '00:00:01,000 --> 00:00:02,000'
    throw invalid(`A caption's times must be written like ${wanted}. Got ${shown(timing)}.`)
  }
  const [start, end] = times
  if (end <= start) {
    const seen = `Got ${end}, but it starts at ${start} (line ${number}).`
    throw invalid(`A caption's end must be > its start, s. ${seen}`)
  }
  const markup = rest.map((each) => each.line).join('\n')
  const said = isVtt ? timedText(markup, { start, end }) : { text: plainText(markup).trim() }
  const { text } = said
  if (text.length > captionLimits.textCharacters) {
    const most = `A caption's text must have <= ${captionLimits.textCharacters} characters.`
    throw invalid(`${most} Got ${text.length} (line ${number}).`)
  }
  return text === '' ? undefined : { start, end, ...said }
}

const timing = new RegExp(`^\\s*${clock}\\s{0,9}-->\\s{0,9}${clock}(?:\\s|$)`)

function timesOf(line: string): readonly [number, number] | undefined {
  const found = timing.exec(line)?.slice(1)
  if (!found) return undefined
  const [start, end] = [secondsOf(found.slice(0, 4)), secondsOf(found.slice(4))]
  return start === undefined || end === undefined ? undefined : [start, end]
}
