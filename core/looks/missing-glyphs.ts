import { everywhereCoverage, familyCoverage, hanCoverage } from './coverage-table.ts'
import type { BundledFamily } from './families.ts'
import { hanFamilies } from './family-chain.ts'

/** Most characters that a message names. */
const charactersMax = 20

/** Texts of these alone need no lookup: every chain has them. */
const plain = /^[\t\n\f\r -~\u00a0-\u017f]*$/

/** Characters without a glyph of their own: they change others, or keep them apart. */
const invisible = /[\p{White_Space}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u

export function isPlainText(text: string): boolean {
  return plain.test(text)
}

/**
 * Returns the characters of a text that no family has a glyph for. `families`: of a chain, so those
 * of every chain are included. Browsers compose or decompose where a font has only the other form.
 */
export function missingCharacters(text: string, families: readonly BundledFamily[]): string[] {
  if (plain.test(text)) return []
  const hasHan = families.some((family) => hanFamilies.includes(family))
  const more = new Set(families.flatMap((family) => familyCoverage[family] ?? []))
  const tables = [everywhereCoverage, ...(hasHan ? [hanCoverage] : []), ...more].map(rangesOf)
  const isCovered = (character: string) => {
    const code = character.codePointAt(0) ?? 0
    return tables.some((ranges) => holds(ranges, code))
  }
  const isMissing = (character: string) => {
    if (isCovered(character) || invisible.test(character)) return false
    const parts = character.normalize('NFD')
    return parts === character || ![...parts].every(isCovered)
  }
  return [...new Set(text.normalize('NFC'))].filter(isMissing)
}

export function missingGlyphMessage(characters: readonly string[]): string {
  return `No bundled font has a glyph for ${listedCharacters(characters)}`
}

/** Lists the first characters with their code points, and the scripts of all. */
export function listedCharacters(characters: readonly string[]): string {
  const named = characters.slice(0, charactersMax).map((character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
    // A mark needs a letter to stand on.
    return `${/\p{M}/u.test(character) ? '\u25cc' : ''}${character.toWellFormed()} (U+${code})`
  })
  const more = characters.length - named.length
  const list = more > 0 ? `${named.join(', ')} and ${more} more` : named.join(', ')
  const scripts = scriptsOf(characters.join(''))
  if (scripts.length === 0) return list
  return `${list}, of the ${scripts.length === 1 ? 'script' : 'scripts'} ${scripts.join(', ')}`
}

/** Scripts that a message can name; most of them have no bundled font at all. */
const scriptNames =
  'Adlam Arabic Armenian Balinese Bengali Bopomofo Braille Canadian_Aboriginal Cherokee Coptic ' +
  'Cuneiform Cyrillic Devanagari Egyptian_Hieroglyphs Ethiopic Georgian Glagolitic Gothic Greek ' +
  'Gujarati Gurmukhi Han Hangul Hebrew Hiragana Javanese Kannada Katakana Khmer Lao Latin Limbu ' +
  'Lisu Malayalam Meetei_Mayek Mongolian Myanmar New_Tai_Lue Nko Ogham Ol_Chiki Oriya Osage ' +
  'Phoenician Runic Sinhala Sundanese Syriac Tai_Le Tai_Tham Tamil Telugu Thaana Thai Tibetan ' +
  'Tifinagh Vai Yi'

let scripts: readonly { readonly name: string; readonly members: RegExp }[] | undefined

function scriptsOf(text: string): string[] {
  scripts ??= scriptNames.split(' ').map((name) => ({
    name: name.replaceAll('_', ' '),
    members: new RegExp(`\\p{Script=${name}}`, 'u'),
  }))
  return scripts.filter(({ members }) => members.test(text)).map(({ name }) => name)
}

/** Starts and ends (excluded) of ranges, in order. */
type Ranges = readonly number[]

const decodedRanges = new Map<string, Ranges>()

function rangesOf(encoded: string): Ranges {
  const ranges = decodedRanges.get(encoded) ?? decode(encoded)
  decodedRanges.set(encoded, ranges)
  return ranges
}

function holds(ranges: Ranges, code: number): boolean {
  let low = 0
  let high = ranges.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ranges[middle] ?? 0) <= code) low = middle + 1
    else high = middle
  }
  // An odd index lies after a start and before its end.
  return low % 2 === 1
}

function decode(encoded: string): Ranges {
  let end = 0
  return encoded.split(' ').flatMap((token) => {
    const [gap = '', length = '1'] = token.split('.')
    const start = end + Number.parseInt(gap, 36)
    end = start + Number.parseInt(length, 36)
    return [start, end]
  })
}
