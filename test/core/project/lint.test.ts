import test from 'ava'
import fc from 'fast-check'
import { warningsOf as lint } from '../../../core/project/lint/warnings.ts'
import { unsharedWork } from '../../../core/project/shared-work.ts'
import { projectOf, textOf } from '../project-of.ts'
import { image, resolved, words } from './outcome.ts'

/** Warnings of a project of 1280x720 px on white, as `field code: message`. */
function warningsOf(payload: object): string[] {
  const { warnings } = resolved({ duration: 5, ...payload })
  return warnings.map(({ field, code, message }) => `${field} ${code}: ${message}`)
}

/** The same without the messages. */
function codesOf(payload: object): string[] {
  return warningsOf(payload).map((text) => text.slice(0, text.indexOf(':')))
}

const title = { type: 'TEXT', text: 'A title', x: 100, y: 100 }

test('a project of which nothing is to be said has no warnings', (t) => {
  const card = {
    type: 'TEXT',
    html: '<div style="background:#1b2a4a;color:#fff;padding:20px 30px;font-family:Lora, serif">Card</div>',
    ...{ x: 600, y: 500, enterAnimation: 'fade', enterEnd: 0.5 },
  }
  const bleeding = { ...image, x: -40, y: -40, width: 400, height: 300, track: 0 }
  t.deepEqual(warningsOf({ visuals: [{ ...title, y: 400 }, card, bleeding] }), [])
})

test('x and y beside a position, and windows in which nothing plays', (t) => {
  const visuals = [
    { ...image, position: 'center-center', x: 5 },
    { ...image, enterAnimation: 'fade' },
    { ...image, exitAnimation: 'fade', exitEnd: 3 },
    { ...image, enterBegin: 5, exitEnd: 2 },
  ]
  t.deepEqual(codesOf({ visuals }), [
    'visuals[0] position_ignored',
    'visuals[1].enterAnimation empty_animation',
    'visuals[2].exitAnimation empty_animation',
    'visuals[3] never_visible',
  ])
})

test('an element wholly outside the canvas, its size known or not', (t) => {
  const size = { width: 200, height: 100 }
  const svg = '<svg viewBox="0 0 100 50"><rect width="9" height="9"/></svg>'
  const outside = [
    { ...image, ...size, x: 1280 },
    { ...image, ...size, x: -200 },
    { ...image, ...size, y: 721 },
    { ...image, x: 1300 },
    { ...image, x: -1, anchor: 'center-right' },
    { type: 'SVG', svg, x: -101 },
    { ...words, x: 0, y: -90 },
  ]
  for (const visual of outside) {
    t.deepEqual(codesOf({ visuals: [visual] }), ['visuals[0] off_canvas'], JSON.stringify(visual))
  }
  const inside = [
    { ...image, ...size, x: 1279 },
    { ...image, x: -4000 },
    { ...image, ...size, x: -199 },
    { type: 'SVG', svg, x: -99 },
  ]
  for (const visual of inside)
    t.deepEqual(codesOf({ visuals: [visual] }), [], JSON.stringify(visual))
})

test('words leaving the canvas are quoted with the side and the distance', (t) => {
  const long = {
    ...title,
    text: 'A title that goes on and on and on',
    style: { fontSize: 90, whiteSpace: 'nowrap' },
  }
  const [warning = '', ...others] = warningsOf({ visuals: [long] })
  t.deepEqual(others, [])
  const pattern =
    /^visuals\[0\] off_canvas: The text "A title that goes on and on and on" leaves the canvas by about (\d+) px on the right\.$/
  const px = Number(pattern.exec(warning)?.[1])
  t.true(px > 50 && px < 500, warning)
  t.deepEqual(warningsOf({ visuals: [{ ...long, x: 10, style: { fontSize: 60 } }] }), [])
})

test('texts overlapping at the same time are named with both their words', (t) => {
  const other = { ...title, text: 'Other words', y: 110 }
  const both = warningsOf({ visuals: [title, { ...other, enterBegin: 2 }] })
  t.deepEqual(both, [
    'visuals[1] texts_overlap: "Other words" covers "A title" of visuals[0], from 2 s.',
  ])
  const apart: object[][] = [
    [title, { ...other, y: 160 }],
    [title, { ...other, x: 600 }],
    [
      { ...title, exitEnd: 2 },
      { ...other, enterBegin: 2 },
    ],
    [title, { ...other, html: '<div style="width:300px;height:80px"></div>', text: undefined }],
  ]
  for (const visuals of apart) t.deepEqual(warningsOf({ visuals }), [], JSON.stringify(visuals))
})

test('a scene’s texts meet the project’s own, not those of other scenes', (t) => {
  const scenes = [
    { duration: 2, visuals: [title] },
    { duration: 2, visuals: [title] },
  ]
  t.deepEqual(codesOf({ duration: undefined, scenes }), [])
  const overlay = { ...title, text: 'Over all', enterBegin: 3 }
  t.deepEqual(warningsOf({ duration: undefined, scenes, visuals: [overlay] }), [
    'visuals[0] texts_overlap: "Over all" covers "A title" of scenes[1].visuals[0], from 3 s.',
  ])
})

test('the contrast of words on a known flat colour', (t) => {
  const on = (color: string, more: object = {}) =>
    codesOf({ visuals: [{ ...title, style: { color }, ...more }] })
  const low = ['visuals[0] low_contrast']
  // #949494 is the lightest grey of 3:1 on white, which large text needs.
  t.deepEqual(on('#949494'), [])
  t.deepEqual(on('#959595'), low)
  for (const color of ['#fff', 'yellow', 'rgb(200, 200, 200)', 'rgba(0,0,0,.4)', 'hsl(0 0% 60%)']) {
    t.deepEqual(on(color), low, color)
  }
  t.deepEqual(on('#000', { opacity: 0.3 }), low)
  // Unknown, or not meant to be read by its colour.
  for (const style of ['transparent', 'var(--ink)', 'color-mix(in srgb, red, blue)'])
    t.deepEqual(on(style), [], style)
  t.deepEqual(on('#fff', { style: { color: '#fff', textShadow: '0 0 4px #000' } }), [])
  const photo = { ...image, width: 900, height: 600 }
  t.deepEqual(codesOf({ visuals: [photo, { ...title, style: { color: '#fff' }, track: 1 }] }), [])
})

test('text contrasts with its fill, the card below or its scene', (t) => {
  const own = (fill: string) => [
    { type: 'TEXT', html: `<p style="background:${fill};color:#fff">Hi</p>` },
  ]
  t.deepEqual(codesOf({ visuals: own('#eee') }), ['visuals[0] low_contrast'])
  t.deepEqual(codesOf({ visuals: own('#333') }), [])
  t.deepEqual(codesOf({ visuals: own('linear-gradient(#fff, #eee)') }), [])
  t.deepEqual(codesOf({ visuals: own('rgba(0, 0, 0, 0.2)') }), ['visuals[0] low_contrast'])
  const card = (color: string) => ({
    ...{ type: 'TEXT', x: 50, y: 50 },
    html: `<div style="width:500px;height:200px;background:${color}"></div>`,
  })
  const white = { ...title, style: { color: '#fff' }, track: 1 }
  t.deepEqual(codesOf({ visuals: [card('#222'), white] }), [])
  t.deepEqual(codesOf({ visuals: [card('#ddd'), white] }), ['visuals[1] low_contrast'])
  const scene = (backgroundColor: string) => ({ duration: 2, backgroundColor, visuals: [white] })
  const scenes = [scene('#111111'), scene('#fafafa')]
  t.deepEqual(codesOf({ duration: undefined, scenes }), ['scenes[1].visuals[0] low_contrast'])
})

test('the message of a low contrast quotes words, ratio and both colours', (t) => {
  t.deepEqual(warningsOf({ visuals: [{ ...title, style: { color: '#999' } }] }), [
    'visuals[0] low_contrast: "A title" has a contrast of 2.8:1 (#999999 on #ffffff); below 3:1 it is hard to read.',
  ])
})

test('families foreign to the farm are named in html, style and SVG', (t) => {
  const inFont = (family: string) =>
    warningsOf({ visuals: [{ ...title, style: { fontFamily: family } }] })
  t.deepEqual(inFont('Popins'), [
    'visuals[0] unknown_font: The font family "Popins" does not come with the farm; Poppins is painted instead. Did you mean "Poppins"?',
  ])
  t.deepEqual(inFont("'Helvetica Neue', Arial, sans-serif"), [
    'visuals[0] unknown_font: The font families "Helvetica Neue", "Arial" do not come with the farm; its metric twin Arimo is painted instead.',
  ])
  for (const known of ['playfair display', 'Sora, Arial', 'serif', '"DM Sans", Nowhere']) {
    t.deepEqual(inFont(known), [], known)
  }
  const svg = '<svg width="99" height="99"><text font-family="Comic Sans MS" y="9">Hi</text></svg>'
  t.deepEqual(codesOf({ visuals: [{ type: 'SVG', svg }] }), ['visuals[0] unknown_font'])
  const html = '<span style="font: italic 20px/1.2 Garamond">Hi</span>'
  t.deepEqual(codesOf({ visuals: [{ type: 'TEXT', html }] }), ['visuals[0] unknown_font'])
})

test('fonts foreign to the farm are named in captions and custom CSS', (t) => {
  const captions = [{ start: 0, end: 1, text: 'Hi' }]
  const first = (payload: object) =>
    warningsOf(payload).filter((text) => / unknown_font/.test(text))
  const inCaptions = (looks: object) => first({ subtitle: { captions, ...looks } })
  t.deepEqual(inCaptions({ font: { family: 'Gotham' } }), [
    'subtitle.font.family unknown_font: The font family "Gotham" does not come with the farm; Poppins is painted instead.',
  ])
  t.regex(inCaptions({ font: { family: 'Arial' } }).join(), /its metric twin Arimo/)
  t.regex(inCaptions({ styles: { fontFamily: 'Futura' } }).join(), /^subtitle\.styles\.fontFamily /)
  t.deepEqual(inCaptions({ font: { family: 'Lora' } }), [])
  t.deepEqual(inCaptions({}), [])
  const inCode = (css: string) => first({ visuals: [{ ...title, customCode: { css } }] })
  t.regex(inCode('p { font-family: Futura }').join(), /^visuals\[0\]\.customCode\.css .*"Futura"/)
  t.regex(inCode('p{color:red;font:700 20px Gotham}').join(), /"Gotham"/)
  for (const css of [
    'p{font-family:Lora, serif}',
    'p{font-family:inherit}',
    '/* font-family: X; */p{}',
  ]) {
    t.deepEqual(inCode(css), [], css)
  }
})

test('font faces in custom CSS are known, and must be data: URLs', (t) => {
  const fontWarnings = (css: string, more: object = {}) =>
    warningsOf({ visuals: [{ ...title, ...more, customCode: { css } }] })
  const data = 'url(data:font/woff2;base64,d09GMgABAAA=)'
  const own = `@font-face{font-family:Q;src:${data} format("woff2")}`
  t.deepEqual(fontWarnings(`${own} .b{font-family:Q}`), [])
  t.deepEqual(fontWarnings(`${own} .b{font-family:'q', serif}`, { style: { fontFamily: 'Q' } }), [])
  t.deepEqual(fontWarnings(own.replace('Q', 'Arial'), { style: { fontFamily: 'Arial' } }), [])
  t.deepEqual(fontWarnings(own, { style: { fontFamily: 'Q' }, text: '\u0b95' }), [])
  t.regex(fontWarnings(`${own} .b{font-family:Futura}`).join(), /unknown_font: .*"Futura"/)
  const told =
    'visuals[0].customCode.css unknown_font: The @font-face of "Q" is not loaded: its src must hold a data: URL. It is painted in the next family instead.'
  for (const src of [
    'url(https://fonts.example/q.woff2)',
    'url("//fonts.example/q.woff2") format("woff2")',
    'u\\72l("q.woff2")',
    'local("Arial")',
    'src("https://fonts.example/q.woff2")',
  ]) {
    const face = `@media screen { @FONT-face { font-family: "Q"; src: ${src} } }`
    t.deepEqual(fontWarnings(`${face} .b{font-family:Q}`), [told], src)
    t.deepEqual(fontWarnings(face), [told], `${src}, which nothing uses`)
  }
  const inter = '@font-face{font-family:Inter;src:url(https://fonts.example/i.woff2)}'
  t.regex(fontWarnings(inter).join(), /of "Inter" is not loaded.*the farm's Inter instead/)
})

test('pictures by URL in custom CSS are warned of and not loaded', (t) => {
  const told = (css: string) => warningsOf({ visuals: [{ ...title, customCode: { css } }] })
  const message = (named: string) =>
    `visuals[0].customCode.css style_ignored: customCode.css is painted without ${named}: its files must be data: URLs.`
  const url = 'https://files.example/a.png'
  for (const css of [
    `.b{background:url(${url})}`,
    `.b{background:url( '${url}' ) no-repeat}`,
    `.b{background:image-set("${url}" type("image/png") 1x)}`,
    `@import "${url}";`,
    `@import url(${url}) screen;`,
  ]) {
    t.deepEqual(told(css), [message(url)], css)
  }
  t.deepEqual(told('.a{background:url(a)}.b{mask:url(b)}.c{cursor:url(c)}.d{background:url(d)}'), [
    message('a, b, c and 1 more'),
  ])
  for (const css of [
    '.b{background:url(data:image/png;base64,iVBORw0KGgo=)}',
    '.b{filter:url(#blur)}',
    `.b{content:"url(${url})"}`,
    `/* url(${url}) */ .b{color:red}`,
    '@namespace svg url(http://www.w3.org/2000/svg);',
  ]) {
    t.deepEqual(told(css), [], css)
  }
})

test('a warning common to a scene’s clones is given once', (t) => {
  const scenes = [{ iterate: 'n', duration: 1, visuals: [{ ...title, style: { color: '#aaa' } }] }]
  t.is(codesOf({ duration: undefined, scenes, variables: { n: [1, 2, 3] } }).length, 1)
})

test('no markup or style makes lints throw or write a broken sentence', (t) => {
  const number = fc.constantFrom('0', '-3', '1e9', '9'.repeat(400), '.5', 'x', '')
  const unit = fc.constantFrom('px', 'em', '%', 'vw', '', 'parsec')
  const value = fc.oneof(
    fc.tuple(number, unit).map((parts) => parts.join('')),
    fc.constantFrom(
      'flex',
      'column',
      'center',
      'auto',
      'absolute',
      'rgb(',
      '#12',
      'hsl(1 2 3 4)',
      '"',
      "'a",
    ),
  )
  const property = fc.constantFrom(
    ...[
      'width',
      'height',
      'font',
      'font-size',
      'line-height',
      'letter-spacing',
      'padding',
      'margin',
    ],
    ...[
      'display',
      'flex-direction',
      'flex',
      'gap',
      'align-items',
      'color',
      'background',
      'font-family',
    ],
    ...['max-width', 'min-height', 'box-sizing', 'position', 'text-align', 'border', 'opacity'],
  )
  const style = fc
    .array(fc.tuple(property, value).map((parts) => parts.join(':')))
    .map((all) => all.join(';'))
  const tag = fc.tuple(fc.constantFrom('div', 'span', 'p', 'li', 'ul', 'svg', 'b'), style)
  const piece = fc.oneof(
    tag.map(([name, css]) => `<${name} style="${css.replaceAll('"', '&quot;')}">`),
    fc.constantFrom(
      'words ',
      '<br>',
      '</div>',
      '</p>',
      '&nbsp;',
      '&#x110000;',
      '漢字',
      '\u05d0',
      '🎉',
      ' ',
    ),
  )
  const html = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''))
  const run = fc.property(fc.array(html, { minLength: 2, maxLength: 4 }), (texts) => {
    const visuals = texts.map((each, i) => textOf({ html: each, track: i, field: `visuals[${i}]` }))
    for (const { message } of lint(projectOf({ visuals }), { work: unsharedWork })) {
      t.notRegex(message, /NaN|Infinity|undefined/)
    }
  })
  fc.assert(run, { numRuns: 500 })
})

test('a canvas-filling element inside an empty box is not outside the canvas', (t) => {
  const filling = 'position:fixed;inset:0;background:#000'
  const visuals = [
    { type: 'TEXT', html: `<div style="${filling}"></div>` },
    { type: 'TEXT', html: '<br>', style: { position: 'fixed', inset: 0 } },
  ]
  t.deepEqual(codesOf({ visuals }), [])
})

test('an element that begins after the end is reported', (t) => {
  const late = { ...image, enterBegin: 5, enterEnd: 6, enterAnimation: 'fade' }
  const leaving = { ...image, exitBegin: 7, exitEnd: 8, exitAnimation: 'fade' }
  t.deepEqual(warningsOf({ duration: 1, visuals: [late, leaving] }), [
    'visuals[0] never_visible: The element is never visible: it leaves at 1, but enters at 5.',
    'visuals[1].exitAnimation empty_animation: exitAnimation fade has no time to play: it begins at 7, but the end is at 1.',
  ])
  const codes = ['scenes[0].visuals[0] never_visible']
  t.deepEqual(codesOf({ scenes: [{ duration: 1, visuals: [late] }] }), codes)
  t.deepEqual(codesOf({ duration: 10, visuals: [late, leaving] }), [])
  const clip = { type: 'VIDEO', src: 'https://a.com/a.mp4' }
  t.deepEqual(codesOf({ scenes: [{ visuals: [clip, late] }] }), [])
})

test('custom code disables off-canvas warnings, but not too long animations', (t) => {
  const away = { type: 'TEXT', text: 'Hi', x: -900, y: 10 }
  t.deepEqual(codesOf({ visuals: [away] }), ['visuals[0] off_canvas'])
  const css = '@keyframes a { to { transform: translateX(900px) } }'
  t.deepEqual(codesOf({ visuals: [{ ...away, customCode: { css } }] }), [])
  const long = { css, animationDuration: 4 }
  t.deepEqual(warningsOf({ visuals: [{ ...away, exitEnd: 3, customCode: long }] }), [
    'visuals[0].customCode.animationDuration animation_cut_short: customCode runs for 4 s, but the element is visible for 3 s.',
  ])
})
