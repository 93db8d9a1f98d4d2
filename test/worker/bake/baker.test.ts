import test from 'ava'
import { FarmError } from '../../../core/errors.ts'
import { bakeNeeds } from '../../../core/plan/needs.ts'
import { projectOf, textOf } from '../../core/project-of.ts'
import { bakeOne, bakerFor, colourShare, factsOf, html, never, pixelsOf, svg } from './baking.ts'

const baker = bakerFor(test)

const box = (style: string) => `<div style="width:100px;height:50px;${style}"></div>`

test('a box is painted with its colour, size and alpha', async (t) => {
  const picture = await bakeOne(baker(), html(box('background:rgba(255,0,0,.5)')))
  const { width, height, inkX, inkY, inkWidth, inkHeight, warnings } = picture
  t.deepEqual([width, height, inkX, inkY, inkWidth, inkHeight], [100, 50, 0, 0, 100, 50])
  t.deepEqual(warnings, [])
  const at = await pixelsOf(picture)
  t.deepEqual(at(50, 25), [255, 0, 0, 128])
})

test('shadows and negative margins are ink outside of the box', async (t) => {
  const shadow = await bakeOne(baker(), html(box('background:#fff;box-shadow:10px 20px 0 #00f')))
  t.deepEqual([shadow.width, shadow.height], [100, 50])
  t.deepEqual([shadow.inkX, shadow.inkY, shadow.inkWidth, shadow.inkHeight], [0, 0, 110, 70])
  const pulled = await bakeOne(baker(), html(box('background:#0f0;margin:-30px 0 0 -40px')))
  t.deepEqual([pulled.inkX, pulled.inkY], [-40, -30])
})

test('ink far from the box is found, however far', async (t) => {
  const far = box('background:#0f0;position:relative;filter:drop-shadow(700px 0 0 #f00)')
  const picture = await bakeOne(baker(), html(far))
  t.deepEqual([picture.width, picture.inkX, picture.inkWidth], [100, 0, 800])
  const glyphs = `<span style="display:inline-block;transform:scale(9)">${box('background:#0f0')}</span>`
  const scaled = await bakeOne(baker(), html(glyphs))
  t.deepEqual([scaled.inkX, scaled.inkWidth], [-400, 900])
})

test('an element painting nothing is one transparent pixel and keeps its box', async (t) => {
  const picture = await bakeOne(baker(), html(box('')))
  t.deepEqual([picture.width, picture.height], [100, 50])
  t.deepEqual([picture.inkWidth, picture.inkHeight], [1, 1])
  const at = await pixelsOf(picture)
  t.deepEqual(at(0, 0), [0, 0, 0, 0])
})

test('a given size is the content box, inside the style’s padding', async (t) => {
  const style = { padding: 10, backgroundColor: '#123456', 'font-size': 20, '--x': 1 }
  const text = 'one two three four five six seven eight nine ten'
  const free = await bakeOne(baker(), html(text, { style }))
  const fixed = await bakeOne(baker(), html(text, { style, width: 200, height: 300 }))
  t.true(free.width > 400 && free.height === 50, `${free.width} x ${free.height}`)
  t.deepEqual([fixed.width, fixed.height], [220, 320])
  const narrow = await bakeOne(baker(), html(text, { canvas: { width: 300, height: 100 } }))
  t.true(narrow.width <= 300 && narrow.height > 100)
})

test('percentages and viewport units are of the canvas', async (t) => {
  const markup = '<div style="width:50vw;height:10vh;background:red"></div>'
  const canvas = { width: 400, height: 300 }
  const picture = await bakeOne(baker(), html(markup, { canvas, style: { paddingLeft: '10%' } }))
  t.deepEqual([picture.width, picture.height], [240, 30])
})

test('text of a tall project takes wrapping and percentages from its canvas', async (t) => {
  const html = 'one two three four five six seven eight nine ten eleven twelve thirteen fourteen'
  const half = '<div style="width:50vw;height:10vh;background:red"></div>'
  const visuals = [textOf({ html }), textOf({ html: half })]
  const [text, share] = await baker().bake(
    bakeNeeds(projectOf({ width: 1080, height: 1920, visuals })),
    never,
  )
  t.true((text?.width ?? 0) > 900 && (text?.width ?? 0) <= 1080, `${text?.width} px wide`)
  t.deepEqual([share?.width, share?.height], [540, 192])
  const [wide] = await baker().bake(
    bakeNeeds(projectOf({ width: 1920, height: 1080, visuals })),
    never,
  )
  t.true((wide?.width ?? 0) > 1080)
})

test('invalid style properties come back as warnings', async (t) => {
  const style = {
    ...{ color: 'rgb(', colr: 'red', fontSize: 'blah', fontFamily: 'No Such Family' },
    ...{ font: '20px Inter', 'font-weight': 'fat', lineHeight: 1.2, letterSpacing: 3 },
    ...{ zoomy: 5, paddingTop: '1px !important', '--x': 'y', width: 'calc(10px + 1em)' },
  }
  const { warnings } = await bakeOne(baker(), html('x', { style }))
  t.deepEqual(
    warnings.map(({ code, property, message }) => [code, property, message]),
    [
      ['style_ignored', 'color', 'color has no value rgb('],
      ['style_ignored', 'colr', 'CSS has no property colr'],
      ['style_ignored', 'fontSize', 'font-size has no value blah'],
      ['style_ignored', 'font-weight', 'font-weight has no value fat'],
      ['style_ignored', 'zoomy', 'CSS has no property zoomy'],
    ],
  )
})

test('properties that the farm decides are reported and change nothing', async (t) => {
  const told = {
    ...{ position: 'absolute', left: '100px', top: 5, inset: '9px', float: 'right', zIndex: 9 },
    ...{ alignSelf: 'center', flex: 1, gridArea: 'a', animation: 'x 1s', transitionDuration: '1s' },
    ...{ mixBlendMode: 'multiply', backdropFilter: 'blur(3px)', width: 70, marginLeft: 'auto' },
  }
  const plain = { opacity: 0.5, position: 'relative', mixBlendMode: 'normal', margin: 0 }
  const markup = box('background:#f00')
  const [asked, usual] = await baker().bake(
    [html(markup, { width: 120, style: told }), html(markup, { width: 120 })],
    never,
  )
  t.deepEqual(
    asked?.warnings.map(({ code, property }) => `${code} ${property}`),
    Object.keys(told).map((property) => `style_ignored ${property}`),
  )
  t.deepEqual({ ...asked, warnings: [] }, { ...usual, warnings: [] })
  t.deepEqual((await bakeOne(baker(), html(markup, { style: plain }))).warnings, [])
})

test('a margin stays free around the box, which keeps size and ink', async (t) => {
  const margin = { marginTop: '50px', margin: 20, marginLeft: '-1.5em', marginRight: '10%' }
  const style = { fontSize: 20, padding: 5, ...margin }
  const canvas = { width: 400, height: 300 }
  const asked = await bakeOne(baker(), html(box('background:#f00'), { style, canvas }))
  t.deepEqual(asked.warnings, [])
  t.deepEqual(asked.margin, { left: -30, top: 20, right: 40, bottom: 20 })
  t.deepEqual([asked.width, asked.height], [110, 60])
  t.deepEqual([asked.inkX, asked.inkY, asked.inkWidth, asked.inkHeight], [5, 5, 100, 50])
  const centred = await bakeOne(baker(), html(box(''), { style: { margin: '4px auto' } }))
  t.deepEqual(centred.margin, { left: 0, top: 4, right: 0, bottom: 4 })
  t.deepEqual(
    centred.warnings.map(({ property }) => property),
    ['margin'],
  )
  const fit = { width: 200, height: 200, resize: 'contain', style: { margin: '30px' } } as const
  const fitted = await bakeOne(baker(), html(box('background:#f00'), fit))
  t.deepEqual([fitted.inkX, fitted.inkY, fitted.inkWidth, fitted.inkHeight], [0, 50, 200, 100])
})

test('an SVG has the given size, its own, or its viewBox’s', async (t) => {
  const rect = '<rect width="100%" height="100%" fill="#f00"/>'
  const sizes: [string, object, number[]][] = [
    [`<svg viewBox="0 0 320 180">${rect}</svg>`, {}, [320, 180]],
    [`<svg width="64" height="32" viewBox="0 0 320 180">${rect}</svg>`, {}, [64, 32]],
    [`<svg width="100%" height="100%" viewBox="0 0 320 180">${rect}</svg>`, {}, [320, 180]],
    [`<svg viewBox="0 0 320 180">${rect}</svg>`, { width: 640 }, [640, 360]],
    [`<svg viewBox="0 0 320 180">${rect}</svg>`, { height: 90 }, [160, 90]],
    [`<svg width="10" height="10">${rect}</svg>`, { width: 40, height: 20 }, [40, 20]],
  ]
  const documents = sizes.map(([markup, more]) => svg(markup, more))
  const pictures = await baker().bake(documents, never)
  t.deepEqual(
    pictures.map(({ width, height }) => [width, height]),
    sizes.map(([, , size]) => size),
  )
})

test('an SVG fits a differently shaped box by contain and by cover', async (t) => {
  const markup = '<svg viewBox="0 0 100 50"><rect width="100" height="50" fill="#f00"/></svg>'
  const asked = { width: 100, height: 100 }
  const contain = await bakeOne(baker(), svg(markup, { ...asked, resize: 'contain' }))
  const cover = await bakeOne(baker(), svg(markup, { ...asked, resize: 'cover' }))
  t.deepEqual([contain.inkY, contain.inkHeight], [25, 50])
  t.deepEqual([cover.inkY, cover.inkHeight, cover.inkWidth], [0, 100, 100])
})

test('equal ids in two elements stay apart', async (t) => {
  const gradient = (color: string) =>
    svg(
      `<svg viewBox="0 0 9 9"><linearGradient id="g"><stop stop-color="${color}"/></linearGradient><rect fill="url(#g)" width="9" height="9"/></svg>`,
    )
  const [red, blue] = await baker().bake([gradient('#f00'), gradient('#00f')], never)
  if (!red || !blue) return t.fail()
  t.deepEqual((await pixelsOf(red))(4, 4), [255, 0, 0, 255])
  t.deepEqual((await pixelsOf(blue))(4, 4), [0, 0, 255, 255])
})

const various = [
  html('<b>Bold</b> <i style="font-family:Fraunces">soft</i> 🚀', { style: { fontSize: 61 } }),
  html(
    box(
      'background:linear-gradient(37deg,#f43f5e,#8b5cf6);border-radius:25px;box-shadow:0 9px 31px #0008',
    ),
  ),
  svg(
    '<svg viewBox="0 0 640 360"><radialGradient id="g"><stop stop-color="#000" stop-opacity=".8"/><stop offset="1" stop-color="#0af" stop-opacity="0"/></radialGradient><rect fill="url(#g)" width="640" height="360"/></svg>',
  ),
  html('<div dir="rtl">مرحبا بالعالم</div>', { width: 333 }),
  html('漢字 한국어 かな', { style: { transform: 'rotate(7deg)' } }),
]

test('a document’s bytes are the same alone, beside others and elsewhere', async (t) => {
  const together = (await baker().bake(various, never)).map(factsOf)
  const twice = [...various, ...various].reverse()
  const reversed = (await baker().bake(twice, never)).map(factsOf).reverse()
  for (const [index, document] of various.entries()) {
    const alone = factsOf(await bakeOne(baker(), document))
    t.deepEqual(together[index], alone, document.markup)
    t.deepEqual(reversed[index], alone, document.markup)
    t.deepEqual(reversed[index + various.length], alone, document.markup)
  }
})

test('two bakes at the same time do not disturb each other', async (t) => {
  const [first, second] = await Promise.all([
    baker().bake(various, never),
    baker().bake(various, never),
  ])
  t.deepEqual(first.map(factsOf), second.map(factsOf))
})

test('every script and the emoji are painted from the bundled fonts', async (t) => {
  const texts = ['Hello', 'مرحبا', 'שלום', 'नमस्ते', 'สวัสดี', '漢字', 'かな', '한국어']
  const pictures = await baker().bake(
    texts.map((text) => html(text)),
    never,
  )
  for (const [index, { inkWidth, inkHeight }] of pictures.entries()) {
    t.true(inkWidth > 30 && inkHeight > 20, texts[index])
  }
  const emoji = await bakeOne(baker(), html('🚀🎉'))
  t.true((await colourShare(emoji)) > 0.1)
})

test('text has grey edges, not coloured ones', async (t) => {
  const text = await bakeOne(baker(), html('Sphinx of black quartz'))
  t.is(await colourShare(text), 0)
})

test('content that breaks a rule is refused with its place', async (t) => {
  const bad = html('<script>1</script>', { field: 'scenes[1].visuals[3]' })
  const error = await t.throwsAsync(baker().bake([html('ok'), bad], never), {
    instanceOf: FarmError,
  })
  t.is(error.code, 'element_invalid')
  t.is(error.field, 'scenes[1].visuals[3]')
  t.regex(error.message, /<script> is not allowed/)
})

test('an element larger than any canvas is refused with its size', async (t) => {
  const huge = html(box('width:9000px'))
  const error = await t.throwsAsync(baker().bake([huge], never), { instanceOf: FarmError })
  t.is(error.code, 'element_invalid')
  t.regex(error.message, /at most 8192 px.*Got 9000 x 50/)
})

test('a cancelled bake ends at once and the next one works', async (t) => {
  const stop = new AbortController()
  const bake = baker().bake(various, stop.signal)
  stop.abort()
  const error = await t.throwsAsync(bake, { instanceOf: FarmError })
  t.is(error.code, 'cancelled')
  t.is((await bakeOne(baker(), html(box('background:red')))).inkWidth, 100)
})
