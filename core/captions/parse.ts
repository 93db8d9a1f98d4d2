import { FarmError } from '../errors.ts'
import { type Caption, captionLimits, wordsIn } from './caption.ts'

export type CaptionFile = {
  readonly format: 'srt' | 'vtt'
  readonly captions: readonly Caption[]
}

/**
 * Reads SRT, or WebVTT (W3C) when it begins so. Markup is left out, and so are a VTT's notes, styles
 * and regions. Throws FarmError `media_invalid` or `media_too_large` at `field`, naming the line.
 */
export function parseCaptions(text: string, field: string): CaptionFile {
  const invalid = (message: string) => new FarmError('media_invalid', message, { field })
  if (text.includes('\0')) throw invalid(`${rule} Got a file with NUL bytes.`)
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|\n|\r/)
  const isVtt = /^WEBVTT(?:[ \t]|$)/.test(lines[0] ?? '')
  const captions: Caption[] = []
  let words = 0
  for (const block of blocksOf(lines, isVtt ? 1 : 0)) {
    const at = block.findIndex(({ line }) => line.includes('-->'))
    if (at === -1) {
      // What stands before the first caption, and a VTT's own blocks, are not captions.
      if (isVtt) continue
      throw invalid(`${rule} Line ${block[0]?.number} begins no caption. Got ${shown(block)}.`)
    }
    const caption = captionOf(block.slice(at), { isVtt, invalid })
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

/** Lines between empty ones, numbered from 1. */
function* blocksOf(lines: readonly string[], from: number): Generator<Line[]> {
  let block: Line[] = []
  for (let i = from; i <= lines.length; i += 1) {
    const line = lines[i] ?? ''
    if (line.trim() !== '') block.push({ number: i + 1, line })
    else if (block.length > 0) {
      yield block
      block = []
    }
  }
}

function shown([first]: readonly Line[]): string {
  const line = first?.line.trim() ?? ''
  return JSON.stringify(line.length > 40 ? `${line.slice(0, 40)}…` : line)
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
    throw invalid(`A caption's times must be written like ${wanted}. Got ${shown([timing])}.`)
  }
  const [start, end] = times
  if (end <= start) {
    const seen = `Got ${end}, but it starts at ${start} (line ${number}).`
    throw invalid(`A caption's end must be > its start, s. ${seen}`)
  }
  const text = plainText(rest.map((each) => each.line).join('\n'))
  if (text.length > captionLimits.textCharacters) {
    const most = `A caption's text must have <= ${captionLimits.textCharacters} characters.`
    throw invalid(`${most} Got ${text.length} (line ${number}).`)
  }
  return text === '' ? undefined : { start, end, text }
}

const clock = String.raw`(?:(\d{1,3}):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})`
const timing = new RegExp(`^\\s*${clock}\\s{0,9}-->\\s{0,9}${clock}(?:\\s|$)`)

function timesOf(line: string): readonly [number, number] | undefined {
  const found = timing.exec(line)?.slice(1)
  if (!found) return undefined
  const [start, end] = [secondsOf(found.slice(0, 4)), secondsOf(found.slice(4))]
  return start === undefined || end === undefined ? undefined : [start, end]
}

function secondsOf(parts: readonly (string | undefined)[]): number | undefined {
  const [hours = '0', minutes = '', seconds = '', fraction = ''] = parts
  if (Number(minutes) > 59 || Number(seconds) > 59) return undefined
  const whole = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
  return (whole * 1000 + Number(fraction.padEnd(3, '0'))) / 1000
}

const named: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', nbsp: '\u00a0', lrm: '\u200e', rlm: '\u200f' },
}

/** Without tags (`<i>`, `<v Ann>`, `<00:01.500>`) and SubStation's `{\an8}`; entities read. */
function plainText(markup: string): string {
  return markup
    .replace(/<\/?[a-z\d][^<>\n]{0,200}>/gi, '')
    .replace(/\{\\[^{}\n]{0,200}\}/g, '')
    .replace(/&(amp|lt|gt|quot|nbsp|lrm|rlm);/g, (all, name: string) => named[name] ?? all)
    .replace(/[^\P{Cc}\n\t]/gu, '')
    .trim()
}
