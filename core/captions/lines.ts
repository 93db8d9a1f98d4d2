import type { ResolvedSubtitle } from '../project/resolved.ts'
import { exact } from '../timeline/exact.ts'
import { type Caption, type CaptionWord, captionLimits, wordsIn } from './caption.ts'

/** What is on the screen at once: seconds of the film; it is gone at `end`. */
export type CaptionLine = {
  /** Where its caption stands in the request. */
  readonly field: string
  readonly begin: number
  readonly end: number
  readonly words: readonly LineWord[]
}

export type LineWord = {
  readonly text: string
  readonly begin: number
  readonly end: number
  /** Begins a row of its own. */
  readonly breaks: boolean
}

type Looks = Pick<ResolvedSubtitle, 'animation' | 'font' | 'maxWordsPerLine'>

/**
 * Captions as lines: every word with its time, at most `maxWordsPerLine` in a line, one by one where
 * that is the animation. A caption gives way to the next one; two that start together are one.
 */
export function captionLines(
  captions: readonly (Caption & { readonly field: string })[],
  { animation, font, maxWordsPerLine }: Looks,
): CaptionLine[] {
  const whole: CaptionLine[] = []
  for (const caption of captions.toSorted((a, b) => a.start - b.start)) {
    const { field, start: begin, end } = caption
    const words = timedWords(caption, font.transform)
    const last = whole.at(-1)
    if (last?.begin === begin) {
      const below = words.map((word, i) => (i === 0 ? { ...word, breaks: true } : word))
      const joined = { end: Math.max(last.end, end), words: [...last.words, ...below] }
      whole[whole.length - 1] = { ...last, ...joined }
    } else whole.push({ field, begin, end, words })
  }
  const size = animation === 'one-word' ? 1 : maxWordsPerLine
  return whole
    .map((line, i) => ({ ...line, end: Math.min(line.end, whole[i + 1]?.begin ?? line.end) }))
    .flatMap((line) => (size === undefined ? [line] : chunks(line, size)))
    .filter(({ begin, end, words }) => end > begin && words.length > 0)
}

/** Each chunk stays until the first word of the next one. */
function chunks(line: CaptionLine, size: number): CaptionLine[] {
  const groups: LineWord[][] = []
  for (let at = 0; at < line.words.length; at += size) {
    groups.push(line.words.slice(at, at + size).map((word) => ({ ...word, breaks: false })))
  }
  return groups.map((words, i) => ({
    ...line,
    words,
    begin: i === 0 ? line.begin : (words[0]?.begin ?? line.begin),
    end: Math.min(line.end, groups[i + 1]?.[0]?.begin ?? line.end),
  }))
}

function timedWords(caption: Caption, transform: Looks['font']['transform']): LineWord[] {
  const { start, end, words = [] } = caption
  if (words.length === 0) return spread(caption, transform)
  const within = (second: number) => Math.min(end, Math.max(start, second))
  return words.flatMap((word: CaptionWord) => {
    const text = wordsIn(transformed(word.text, transform)).join(' ')
    if (text === '') return []
    return [{ text, begin: within(word.start), end: within(word.end), breaks: false }]
  })
}

/** The words of a text by its rows, each until the next one begins. */
function spread(caption: Caption, transform: Looks['font']['transform']): LineWord[] {
  const { start, end, text } = caption
  const rows = transformed(text, transform).split('\n').map(wordsIn)
  const starts = caption.wordStarts ?? evenStarts(rows.flat(), { start, end })
  let at = 0
  return rows.flatMap((row, i) =>
    row.map((word, k): LineWord => {
      const begin = starts[at] ?? end
      at += 1
      return { text: word, begin, end: starts[at] ?? end, breaks: k === 0 && i > 0 }
    }),
  )
}

/** When words begin: each takes as much of the time as its length and 1 (open-parts.md, Subtitle). */
export function evenStarts(
  words: readonly string[],
  { start, end }: { readonly start: number; readonly end: number },
): number[] {
  const shares = words.map((word) => [...word].length + 1)
  const total = shares.reduce((sum, share) => sum + share, 0)
  let before = 0
  return shares.map((share) => {
    const moment = exact(start + ((end - start) * before) / total)
    before += share
    return moment
  })
}

function transformed(text: string, transform: Looks['font']['transform']): string {
  switch (transform) {
    case 'none':
      return text
    case 'uppercase':
      return text.toUpperCase()
    case 'lowercase':
      return text.toLowerCase()
    case 'capitalize':
      return text.replace(/(?<![\p{L}\p{N}\p{M}'’])\p{L}/gu, (letter) => letter.toUpperCase())
    default:
      return transform satisfies never
  }
}

/** The parts of a line that are shown or changed one by one: words, or letters as they are typed. */
export type LinePart = {
  readonly text: string
  readonly begin: number
  readonly end: number
}

/** By word: what its parts are. Together they are the line's text without its spaces. */
export function partsOf(line: CaptionLine, animation: ResolvedSubtitle['animation']): LinePart[][] {
  if (animation !== 'typewriter') return line.words.map((word) => [word])
  const letters = line.words.map(({ text }) => [...graphemes.segment(text)].map((g) => g.segment))
  const count = letters.reduce((sum, each) => sum + each.length, 0)
  const together = Math.ceil(count / maxParts)
  return line.words.map((word, i) => {
    const until = line.words[i + 1]?.begin ?? word.end
    const groups = grouped(letters[i] ?? [], together)
    const each = (until - word.begin) / groups.length
    return groups.map((text, k) => {
      return { text, begin: exact(word.begin + k * each), end: exact(word.begin + (k + 1) * each) }
    })
  })
}

/** Their places travel in a node's answer. */
const maxParts = captionLimits.textCharacters / 2

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

function grouped(letters: readonly string[], size: number): string[] {
  const groups: string[] = []
  for (let at = 0; at < letters.length; at += size) {
    groups.push(letters.slice(at, at + size).join(''))
  }
  return groups
}
