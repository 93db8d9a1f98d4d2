import { captionLimits } from './caption.ts'

/** A word of a text and its offset. `joined`: no space precedes it, as in Japanese. */
export type PlacedWord = {
  readonly text: string
  readonly at: number
  readonly joined: boolean
}

/** Splits at spaces; line feeds are spaces, too. */
export function wordsIn(text: string): string[] {
  return text.split(/[\s\p{Cc}]+/u).filter((word) => word !== '')
}

/**
 * Returns the words of a text in order, with their offsets. Scripts without spaces are cut by the
 * dictionaries of ICU (Intl.Segmenter). Past `wordsMax` words, neighbours in those scripts are joined.
 */
export function placedWords(text: string): PlacedWord[] {
  const words = [...text.matchAll(/[^\s\p{Cc}]+/gu)].flatMap(({ 0: token, index }) => {
    return cut(token).map(({ at, ...word }) => ({ ...word, at: index + at }))
  })
  if (words.length <= wordsMax) return words
  const size = Math.ceil(words.length / wordsMax)
  return words.filter(startsGroup(size)).map((word, i, kept) => {
    const end = kept[i + 1]?.joined ? kept[i + 1]?.at : undefined
    return { ...word, text: end === undefined ? tokenAt(text, word.at) : text.slice(word.at, end) }
  })
}

/** Capped, since the places of a caption's words travel in a node's answer. */
const wordsMax = captionLimits.textCharacters / 2

/** Keeps each word after a space, and every `size`th of the words joined to it. */
function startsGroup(size: number): (word: PlacedWord) => boolean {
  let count = 0
  return ({ joined }) => {
    count = joined ? count + 1 : 0
    return count % size === 0
  }
}

function tokenAt(text: string, at: number): string {
  return /^[^\s\p{Cc}]+/u.exec(text.slice(at))?.[0] ?? ''
}

/** Scripts that write no spaces between words. */
const scripts = ['Han', 'Hiragana', 'Katakana', 'Bopomofo', 'Thai', 'Lao', 'Khmer', 'Myanmar']
const classes = scripts.map((script) => String.raw`\p{Script_Extensions=${script}}`).join('')
const unspaced = new RegExp(`(?=[\\p{L}\\p{N}\\p{M}])[${classes}]`, 'u')
const everyUnspaced = new RegExp(unspaced.source, 'gu')
const startsUnspaced = new RegExp(`^${unspaced.source}`, 'u')
/** Punctuation after a word belongs to it, and is skipped to find the last letter. */
const endsUnspaced = new RegExp(`${unspaced.source}[^\\p{L}\\p{N}]*$`, 'u')

/** Counts the letters of scripts that write no spaces. */
export function countUnspaced(text: string): number {
  return unspaced.test(text) ? (text.match(everyUnspaced)?.length ?? 0) : 0
}

/** True where two words join without a space, judged without their text. */
export function isUnspacedBetween(before: string, word: string): boolean {
  return endsUnspaced.test(before) && startsUnspaced.test(word)
}

const segmenter = new Intl.Segmenter('en', { granularity: 'word' })
const opening = /[\p{Ps}\p{Pi}\p{Sc}]$/u
/** Letters that never begin a word: marks of repetition and of length, small kana. */
const following = /^[\p{M}々〻ゝゞヽヾーｰぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶๆฯໆ]/u

function cut(token: string): PlacedWord[] {
  if (!unspaced.test(token)) return [{ text: token, at: 0, joined: false }]
  const words: PlacedWord[] = []
  for (const { segment, index, isWordLike } of segmenter.segment(token)) {
    const last = words.at(-1)
    if (last && !mayStandApart(last.text, segment, isWordLike === true)) {
      words[words.length - 1] = { ...last, text: last.text + segment }
    } else words.push({ text: segment, at: index, joined: index > 0 })
  }
  return words
}

function mayStandApart(before: string, segment: string, isWordLike: boolean): boolean {
  if (opening.test(before) || following.test(segment)) return false
  const isSign = !isWordLike && !unspaced.test(segment)
  if (isSign) return opening.test(segment) && endsUnspaced.test(before)
  return endsUnspaced.test(before) || startsUnspaced.test(segment)
}
