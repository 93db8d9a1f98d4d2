import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { FarmError } from '../../../core/errors.ts'
import { bundledFamilies } from '../../../core/looks/families.ts'
import { createLog } from '../../../runtime/log.ts'
import { type Baker, createBaker } from '../../../worker/bake/baker.ts'
import { createFonts } from '../../../worker/bake/fonts.ts'
import { outcomeOf } from '../../core/project/outcome.ts'
import { bakeOne, bakerFor, html, never, patience, svg } from './baking.ts'

const lenient = bakerFor(test)
let strict: Baker | undefined
let dataDir = ''
test.before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'farm-strict-'))
  strict = createBaker({
    log: createLog('test', 'silent'),
    dataDir,
    strictFonts: true,
    limitMs: patience,
  })
})
test.after.always(async () => {
  await strict?.close()
  await rm(dataDir, { recursive: true, force: true })
})

const strange = html('Tifinagh ⵣ and <span style="font-family:Papyrus">Yi ꀀ</span>', {
  style: { fontFamily: 'Wingdings, Inter' },
  field: 'scenes[0].visuals[1]',
})

test('an unknown family and characters that no font has are warnings', async (t) => {
  const { warnings, inkWidth } = await bakeOne(lenient(), strange)
  t.deepEqual(
    warnings.map(({ code, message }) => `${code}: ${message}`),
    [
      'unknown_font: The font family Wingdings is not available; Inter is used',
      'unknown_font: The font family Papyrus is not available; Poppins is used',
      'missing_glyph: No bundled font has a glyph for ⵣ (U+2D63), ꀀ (U+A000), of the scripts Tifinagh, Yi',
    ],
  )
  t.true(inkWidth > 100)
})

test('validate tells of missing characters in the words of the baker', async (t) => {
  const markup =
    'Tamil த <i style="font-family:Tinos">Coptic Ϣ</i> Ϣ &#xe000; \u0378 か\u3099 👨‍👩‍👧 1️⃣ \ufe0f'
  const { warnings } = await bakeOne(lenient(), html(markup))
  const message =
    'No bundled font has a glyph for த (U+0BA4), Ϣ (U+03E2), \ue000 (U+E000), \u0378 (U+0378), of the scripts Coptic, Tamil'
  const sorted = (text: string) => [...text].sort().join('')
  t.deepEqual(
    warnings.map(({ code, message }) => [code, sorted(message)]),
    [['missing_glyph', sorted(message)]],
  )
  const { resolution } = outcomeOf({
    payload: { duration: 1, visuals: [{ type: 'TEXT', html: markup }] },
  })
  t.deepEqual(
    resolution?.warnings.map((warning) => [warning.code, sorted(warning.message)]),
    [['missing_glyph', sorted(message)]],
  )
})

test('missing glyphs fail the bake by field with strict fonts', async (t) => {
  const documents = [html('fine'), strange]
  const error = await t.throwsAsync(strict?.bake(documents, never) ?? Promise.resolve(), {
    instanceOf: FarmError,
  })
  t.is(error?.code, 'element_invalid')
  t.is(error?.field, 'scenes[0].visuals[1]')
  t.is(
    error?.message,
    'Every font family and character must come with this farm. It has no family Wingdings, Papyrus, and no glyph for ⵣ (U+2D63), ꀀ (U+A000), of the scripts Tifinagh, Yi',
  )
})

test('text that the fonts cover passes with strict fonts', async (t) => {
  const documents = [
    html('Hello مرحبا שלום नमस्ते สวัสดี 漢字 한국어 👨‍👩‍👧‍👦 🏳️‍🌈 1️⃣ CO₂ → ✗ ½'),
    html('soft­hyphen&nbsp;and&#8205;joiners', { style: { fontFamily: 'sans-serif' } }),
    svg('<svg viewBox="0 0 90 20"><text y="15" font-family="Sora">Sora</text></svg>'),
  ]
  const pictures = await strict?.bake(documents, never)
  t.deepEqual(
    pictures?.map(({ warnings }) => warnings),
    [[], [], []],
  )
})

test('an element that names its parent’s missing family is painted like it', async (t) => {
  const markup = (style: string) =>
    html(`<b style="${style}">word</b>`, { style: { fontFamily: 'Gotham' } })
  const named = await bakeOne(lenient(), markup('font-family:Gotham'))
  const inherited = await bakeOne(lenient(), markup('color:inherit'))
  t.true(named.png.equals(inherited.png))
})

test('an SVG is held to the same rule', async (t) => {
  const markup = '<svg viewBox="0 0 90 20"><text y="15" font-family="Papyrus">x</text></svg>'
  const { warnings } = await bakeOne(lenient(), svg(markup))
  const message = 'The font family Papyrus is not available; Poppins is used'
  t.deepEqual(warnings, [{ code: 'unknown_font', message }])
})

test('a metric substitute is reported, and has the original’s width', async (t) => {
  const markup = '<span style="white-space:nowrap">The quick brown fox</span>'
  const width = async (fontFamily: string) => {
    const { inkWidth, warnings } = await bakeOne(lenient(), html(markup, { style: { fontFamily } }))
    return { inkWidth, messages: warnings.map(({ message }) => message) }
  }
  const twin = await width('Georgia, serif')
  t.deepEqual(twin.messages, [
    'The font family Georgia is not available; its metric twin Gelasio is used',
  ])
  t.deepEqual(await width('Gelasio'), { inkWidth: twin.inkWidth, messages: [] })
  // Width of 19 letters of Arial at 42 px, by its published widths.
  const arial = 'The quick brown fox'
  const units: Record<string, number> = { T: 611, i: 222, c: 500, k: 500, r: 333, w: 722, x: 500 }
  const em = [...arial].reduce((sum, letter) => {
    return sum + (units[letter] ?? (letter === ' ' || letter === 'f' ? 278 : 556))
  }, 0)
  t.true(Math.abs((await width('Arial')).inkWidth - (em * 42) / 1000) < 4)
})

test('every bundled family has faces, and letters unless it is for pictures', async (t) => {
  const fonts = createFonts()
  const pictureFamilies = ['Noto Color Emoji']
  for (const family of bundledFamilies) {
    t.regex(await fonts.faces(family), /@font-face/, family)
    if (pictureFamilies.includes(family)) continue
    const characters = await fonts.characters(family)
    for (const letter of 'Aaz09') {
      t.true(characters.has(letter.codePointAt(0) ?? 0), `${family}: ${letter}`)
    }
  }
  t.false((await fonts.characters('Poppins')).has(0x6f22))
  t.true((await fonts.characters('Noto Sans JP')).has(0x6f22))
})
