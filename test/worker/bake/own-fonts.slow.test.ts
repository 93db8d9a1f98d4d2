import { readFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import type { FarmError } from '../../../core/errors.ts'
import { createLog } from '../../../runtime/log.ts'
import { createBaker } from '../../../worker/bake/baker.ts'
import { bakeOne, bakerFor } from './baking.ts'
import { coded } from './coded.ts'

/** Tests fonts that custom code brings with it as data: URLs, and those that the farm does not load. */

const baker = bakerFor(test)
const font = createRequire(import.meta.url).resolve(
  '@fontsource-variable/playfair-display/files/playfair-display-latin-wght-normal.woff2',
)
const data = `url(data:font/woff2;base64,${readFileSync(font, 'base64')})`

const word = (fontFamily: string, css: string, js = '') =>
  coded({ css, js }, { style: { fontFamily, fontSize: '30px', color: '#d02020' } })

/** Bakes a word in a family that custom CSS declares. */
const bakeIn = (family: string, css: string) => bakeOne(baker(), word(family, css))

test('a data: URL’s font is painted, also under a bundled font’s name', async (t) => {
  const bundled = await bakeIn('Playfair Display', '.word{color:#d02020}')
  const usual = await bakeIn('Poppins', '.word{color:#d02020}')
  t.false(bundled.png.equals(usual.png))
  for (const name of ['Q', 'Arial', 'Lora']) {
    const css = `@font-face{font-family:${name};font-weight:400 900;src:${data} format("woff2")}`
    const own = await bakeIn(name, `${css} .word{font-family:${name}}`)
    t.true(own.png.equals(bundled.png), name)
    t.deepEqual(own.warnings, [], name)
  }
})

test('an unloadable font is a warning, and the next family is painted', async (t) => {
  const usual = await bakeIn('Poppins', '.word{color:#d02020}')
  const unavailable = {
    code: 'unknown_font',
    message: 'The font family Q is not available; Poppins is used',
  }
  for (const src of ['url(https://fonts.example/q.woff2)', 'url(q.woff2)', 'local("Arial")']) {
    const face = `@font-face{font-family:Q;src:${src}}`
    const used = await bakeIn('Q', `${face} .word{font-family:Q}`)
    t.deepEqual(used.warnings, [unavailable], src)
    t.true(used.png.equals(usual.png), src)
    const unused = await bakeIn('Poppins', face)
    t.deepEqual(unused.warnings, [], src)
    t.true(unused.png.equals(usual.png), src)
  }
  const unreadable = {
    code: 'unknown_font',
    message:
      'The data of the @font-face Q in customCode.css cannot be read; the next family is used',
  }
  const broken = '@font-face{font-family:Q;src:url(data:font/woff2;base64,d09GMgABAAA=)}'
  for (const css of [broken, `${broken} .word{font-family:Q}`]) {
    const picture = await bakeIn('Poppins', css)
    t.deepEqual(picture.warnings, [unreadable], css)
    t.true(picture.png.equals(usual.png), css)
  }
})

test('code loads a font from a data: URL, and none by URL', async (t) => {
  const bundled = await bakeIn('Playfair Display', '.word{color:#d02020}')
  const usual = await bakeIn('Poppins', '.word{color:#d02020}')
  const script = (source: string) => `
    const face = new FontFace('Q', ${JSON.stringify(source)}, { weight: '400 900' })
    document.fonts.add(face)
    const show = () => document.querySelector('.word').style.setProperty('font-family', 'Q, Poppins', 'important')
    face.load().then(show, () => 0)`
  const last = ({ png, moments }: Awaited<ReturnType<typeof bakeIn>>) => {
    const { offset = 0, bytes = 0 } = moments?.pictures[moments.order.at(-1) ?? -1] ?? {}
    return png.subarray(offset, offset + bytes)
  }
  const loaded = await bakeOne(baker(), word('Poppins', '', script(data)))
  t.true(last(loaded).equals(last(bundled)))
  const remote = await bakeOne(
    baker(),
    word('Poppins', '', script('url(https://fonts.example/q.woff2)')),
  )
  t.true(last(remote).equals(last(usual)))
})

test('a strict farm refuses a font that cannot be read', async (t) => {
  const strict = createBaker({
    log: createLog('test', 'silent'),
    dataDir: await mkdtemp(join(tmpdir(), 'farm-fonts-')),
    strictFonts: true,
  })
  t.teardown(() => strict.close())
  const broken = '@font-face{font-family:Q;src:url(data:font/woff2;base64,d09GMgABAAA=)}'
  const error = await t.throwsAsync<FarmError>(bakeOne(strict, word('Poppins', broken)))
  t.is(error?.code, 'element_invalid')
})
