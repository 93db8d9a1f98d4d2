import test from 'ava'
import { captionWarnings } from '../../../core/captions/documents.ts'
import { mediaKey } from '../../../core/timeline/facts.ts'
import { resolved } from './outcome.ts'

/** Warnings of missing glyphs, as `field: message`. */
function missing(payload: object, more: object = {}): string[] {
  const { warnings } = resolved({ duration: 5, ...payload }, more)
  return warnings
    .filter(({ code }) => code === 'missing_glyph')
    .map(({ field, message }) => `${field}: ${message}`)
}

const tamil = 'No bundled font has a glyph for த (U+0BA4), of the script Tamil'
const of = (visual: object) => missing({ visuals: [visual] })

test('a character without a glyph is reported in text, html and SVG', (t) => {
  t.deepEqual(of({ type: 'TEXT', text: 'Hello தத' }), [`visuals[0]: ${tamil}`])
  t.deepEqual(of({ type: 'TEXT', html: '<b>a <i>த</i></b>' }), [`visuals[0]: ${tamil}`])
  t.deepEqual(of({ type: 'TEXT', html: '<p>&#x0ba4; &#2980;</p>' }), [`visuals[0]: ${tamil}`])
  const svg = (body: string) => `<svg viewBox="0 0 90 20" width="90" height="20">${body}</svg>`
  t.deepEqual(of({ type: 'SVG', svg: svg('<text y="15">த<tspan>த</tspan></text>') }), [
    `visuals[0]: ${tamil}`,
  ])
  const inHtml = svg('<text y="15">&#2980;</text>')
  t.deepEqual(of({ type: 'TEXT', html: `<div>${inHtml}</div>` }), [`visuals[0]: ${tamil}`])
})

test('missing glyphs are reported in scenes, variables and custom code', (t) => {
  const scenes = [{ duration: 2, visuals: [{ type: 'TEXT', text: '{{name}}' }] }]
  t.deepEqual(missing({ duration: undefined, scenes }, { variables: { name: 'த' } }), [
    `scenes[0].visuals[0]: ${tamil}`,
  ])
  const customCode = { css: '.a { color: red }', animationDuration: 1 }
  t.deepEqual(of({ type: 'TEXT', html: '<span class="a">த</span>', customCode }), [
    `visuals[0]: ${tamil}`,
  ])
})

test('missing glyphs in hidden text are not reported', (t) => {
  t.deepEqual(of({ type: 'TEXT', html: 'a<span style="display:none">த</span>' }), [])
  const svg = `<svg width="90" height="20"><title>த</title><desc>த</desc>
    <style>.த { fill: red }</style><!-- த --><text y="15">a</text></svg>`
  t.deepEqual(of({ type: 'SVG', svg }), [])
})

test('the families that an element asks for count', (t) => {
  t.deepEqual(of({ type: 'TEXT', text: 'Ϣ', style: { fontFamily: 'Arial' } }), [])
  t.is(of({ type: 'TEXT', text: 'Ϣ' }).length, 1)
  const svg = (attributes: string, sheet = '') =>
    `<svg width="90" height="20">${sheet}<text y="15" ${attributes}>Ϣ</text></svg>`
  t.deepEqual(of({ type: 'SVG', svg: svg('font-family="Tinos"') }), [])
  t.deepEqual(
    of({ type: 'SVG', svg: svg('class="a"', '<style>.a{font-family:Tinos}</style>') }),
    [],
  )
  t.is(of({ type: 'SVG', svg: svg('font-family="Sora"') }).length, 1)
})

test('captions tell once, at the first caption with such a character', (t) => {
  const captions = ['Hello', 'த one', 'த two'].map((text, i) => ({ start: i, end: i + 1, text }))
  const visuals = [{ type: 'TEXT', text: 'Hello' }]
  t.deepEqual(missing({ visuals, subtitle: { captions } }), [`subtitle.captions[1]: ${tamil}`])
  const fine = [{ start: 0, end: 1, text: 'héllo 漢字 😀' }]
  t.deepEqual(missing({ visuals, subtitle: { captions: fine } }), [])
})

test('captions of a file tell once it is read', (t) => {
  const src = 'https://cdn.example.com/a.srt'
  const visuals = [{ type: 'TEXT', text: 'Hello' }]
  const subtitle = { src, font: { color: '#000' } }
  const { project, warnings } = resolved({ duration: 5, visuals, subtitle })
  t.deepEqual(warnings, [])
  const captions = ['Hello', 'த one'].map((text, i) => ({ start: i, end: i + 1, text }))
  const file = { digest: '', facts: { kind: 'subtitle', format: 'srt', captions } } as const
  const media = new Map([[mediaKey({ expect: 'subtitle', url: src }), file]])
  t.deepEqual(captionWarnings(project, media), [
    { field: 'subtitle.src', code: 'missing_glyph', message: tamil },
  ])
})
