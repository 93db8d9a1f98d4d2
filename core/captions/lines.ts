import type { ResolvedSubtitle } from '../project/resolved.ts'
import { exact } from '../timeline/exact.ts'
import { type Caption, type CaptionWord, captionLimits } from './caption.ts'
import { isUnspacedBetween, type PlacedWord, placedWords, wordsIn } from './words.ts'

/** Words on the screen together, in seconds of the film; the line is gone at `end`. */
export type CaptionLine = {
  /** Field of its caption in the request. */
  readonly field: string
  readonly begin: number
  readonly end: number
  readonly words: readonly LineWord[]
}

export type LineWord = {
  readonly text: string
  readonly begin: number
  readonly end: number
  /** The word begins a row of its own. */
  readonly breaks: boolean
  /** No space precedes the word. */
  readonly joined?: true
}

type Looks = Pick<ResolvedSubtitle, 'animation' | 'font' | 'maxWordsPerLine'>

/**
 * Splits captions into lines: every word timed, at most `maxWordsPerLine` words in a line, one word
 * for `one-word`. Lines of captions that overlap in time are shown together.
 */
export function captionLines(
  captions: readonly (Caption & { readonly field: string })[],
  { animation, font, maxWordsPerLine }: Looks,
): CaptionLine[] {
  const size = animation === 'one-word' ? 1 : maxWordsPerLine
  return captions
    .toSorted((a, b) => a.start - b.start)
    .map((caption): CaptionLine => {
      const { field, start: begin, end } = caption
      return { field, begin, end, words: timedWords(caption, font.transform) }
    })
    .flatMap((line) => (size === undefined ? [line] : chunks(line, size)))
    .filter(({ begin, end, words }) => end > begin && words.length > 0)
    .toSorted((a, b) => a.begin - b.begin)
}

/** Splits a line into chunks; each stays until the first word of the next one. */
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
  const said = words.flatMap((word: CaptionWord) => {
    const parts = wordsIn(transformed(word.text, transform))
    if (parts.length === 0) return []
    return [{ text: parts.join(' '), begin: within(word.start), end: within(word.end) }]
  })
  const places = placesIn(
    transformed(caption.text, transform),
    said.map(({ text }) => text),
  )
  return said.map((word, i) => {
    const { breaks = false, joined = false } = places[i] ?? {}
    return { ...word, breaks: breaks && i > 0, ...(joined && i > 0 && { joined }) }
  })
}

type WordSpacing = { readonly breaks: boolean; readonly joined: boolean }

/**
 * Finds the given words in their caption's text. If they are not its words, rows are kept where the
 * counts agree, and letters of scripts without spaces are joined.
 */
function placesIn(text: string, words: readonly string[]): WordSpacing[] {
  const found = placesFound(text, words)
  if (found) return found
  const rowBegins = text.split('\n').flatMap((row) => wordsIn(row).map((_, k) => k === 0))
  const counts = words.map((word) => wordsIn(word).length)
  const isSameCount = counts.reduce((sum, count) => sum + count, 0) === rowBegins.length
  let at = 0
  return words.map((word, i) => {
    const breaks = isSameCount && rowBegins[at] === true
    at += counts[i] ?? 0
    return { breaks, joined: !breaks && isUnspacedBetween(words[i - 1] ?? '', word) }
  })
}

/** Returns undefined unless the words are the text's, in order. */
function placesFound(text: string, words: readonly string[]): WordSpacing[] | undefined {
  const places: WordSpacing[] = []
  let at = 0
  for (const word of words) {
    const gap = /^[\s\p{Cc}]*/u.exec(text.slice(at))?.[0] ?? ''
    const parts = wordsIn(word).map((part) => part.replace(/[$()*+.?[\\\]^{|}/-]/g, '\\$&'))
    const found = new RegExp(`^(?:${parts.join('[\\s\\p{Cc}]+')})`, 'u').exec(
      text.slice(at + gap.length),
    )
    if (!found) return undefined
    places.push({ breaks: gap.includes('\n'), joined: gap === '' })
    at += gap.length + found[0].length
  }
  return text.slice(at).trim() === '' ? places : undefined
}

/** Times the words of a text by its rows; each lasts until the next one begins. */
function spread(caption: Caption, transform: Looks['font']['transform']): LineWord[] {
  const { start, end } = caption
  const text = transformed(caption.text, transform)
  const placed = placedWords(text)
  const words = placed.map(({ at, ...word }, i): Omit<PlacedWord, 'at'> & { breaks: boolean } => {
    const last = placed[i - 1]
    const isBelow = last !== undefined && text.slice(last.at, at).includes('\n')
    return { ...word, breaks: isBelow }
  })
  const texts = words.map((word) => word.text)
  const known = caption.wordStarts?.length === words.length ? caption.wordStarts : undefined
  const starts = known ?? evenStarts(texts, { start, end })
  return words.map(({ joined, ...word }, i): LineWord => {
    const begin = starts[i] ?? end
    return { ...word, begin, end: starts[i + 1] ?? end, ...(joined && { joined }) }
  })
}

/** Start times: each word's share of the time is its length plus 1 (open-parts.md, Subtitle). */
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

/** A part of a line that is shown or changed alone: a word, or a letter as it is typed. */
export type LinePart = {
  readonly text: string
  readonly begin: number
  readonly end: number
}

/** Returns the parts of each word. Together they are the line's text without its spaces. */
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

/** Capped, since the places of the parts travel in a node's answer. */
const maxParts = captionLimits.textCharacters / 2

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

function grouped(letters: readonly string[], size: number): string[] {
  const groups: string[] = []
  for (let at = 0; at < letters.length; at += size) {
    groups.push(letters.slice(at, at + size).join(''))
  }
  return groups
}
