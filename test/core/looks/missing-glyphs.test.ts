import test from 'ava'
import { familyChain } from '../../../core/looks/family-chain.ts'
import { missingCharacters, missingGlyphMessage } from '../../../core/looks/missing-glyphs.ts'

function missing(text: string, families = 'Poppins'): string {
  return missingCharacters(text, familyChain(families, text).bundled).join('')
}

test('scripts and signs that the fonts have are not missing', (t) => {
  const latin = Array.from({ length: 0x180 }, (_, code) => String.fromCodePoint(code)).join('')
  // The extra sign forces a lookup of the text.
  t.is(missing(`${latin}\u2192`), '')
  for (const text of [
    'Żółć Ærø Tiếng Việt Ελληνικά Привет',
    'مرحبا שלום नमस्ते สวัสดี',
    '漢字 仮名カナ 한국어 骨 𠮷',
    'CO₂ H₂O ½ → ✗ ✓ ★ ☎ ≠ ∑ ∞ 𝔷 ⠓ € ₹ ₿ ™',
    '5 ‰',
    '21 ℃ 70 ℉',
    '※ ⁂ ℡',
  ]) {
    t.is(missing(text), '', text)
  }
})

test('emoji and their sequences are not missing', (t) => {
  const text = '👨‍👩‍👧‍👦 🏳️‍🌈 1️⃣ #️⃣ 🇩🇪 👍🏽 ❤️ ☺︎ 🏴󠁧󠁢󠁥󠁮󠁧󠁿'
  t.is(missing(text), '')
})

test('controls, formats and selectors are never missing', (t) => {
  t.is(
    missing(
      'a\u0000\u0007\u200b\u200d\u200e\u2028\u2066\u061c\u0600\ufe00\ufeff\u{e0100}\u{e007f}→',
    ),
    '',
  )
})

test('composed and decomposed forms of known characters are not missing', (t) => {
  t.is(missing('e\u0301 か\u3099 \u1112\u1161\u11ab \uf900 \u212b o\u0323\u0302'), '')
})

test('scripts without a font, private use and unassigned code points are missing', (t) => {
  for (const text of ['தமிழ்', 'বাংলা', 'ქართული', 'Ⴀ', 'հայերեն', 'አማርኛ', 'ខ្មែរ', 'ລາວ', 'ᏣᎳᎩ']) {
    t.not(missing(text), '', text)
  }
  t.is(missing('a\ue000b'), '\ue000')
  t.is(missing('a\u0378b'), '\u0378')
  t.is(missing('a\u{f0000}b'), '\u{f0000}')
})

test('a character of one family alone is missing only in the others', (t) => {
  t.is(missing('Ϣ', 'Arimo'), '')
  t.is(missing('Ϣ', 'Lato, Arial'), '')
  t.is(missing('Ϣ'), 'Ϣ')
})

test('the message names characters, code points and scripts, up to a number', (t) => {
  t.is(
    missingGlyphMessage(['ⵣ', '\ue000', 'ꀀ']),
    'No bundled font has a glyph for ⵣ (U+2D63), \ue000 (U+E000), ꀀ (U+A000), of the scripts Tifinagh, Yi',
  )
  t.is(
    missingGlyphMessage(['\u0bcd']),
    'No bundled font has a glyph for \u25cc\u0bcd (U+0BCD), of the script Tamil',
  )
  const many = Array.from({ length: 50 }, (_, i) => String.fromCodePoint(0x1200 + i))
  t.regex(missingGlyphMessage(many), / \(U\+1213\) and 30 more, of the script Ethiopic$/)
})
