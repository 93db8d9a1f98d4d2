import test from 'ava'
import { image, resolved } from './outcome.ts'

/** Warnings of a project of 1280x720 px on white, as `field code`. */
function codesOf(payload: object): string[] {
  const { warnings } = resolved({ duration: 5, ...payload })
  return warnings.map(({ field, code }) => `${field} ${code}`)
}

const low = ['visuals[0] low_contrast']
const at = { type: 'TEXT', x: 100, y: 100 }
const grey = (size: number, weight = 400, color = '#8a8a8a') => ({
  ...at,
  html: `<div style="font-size:${size}px;font-weight:${weight};color:${color}">Words to read</div>`,
})

test('large text needs 3:1: from 24 px, or bold from 18.66 px', (t) => {
  // #8a8a8a on white is 3.45:1.
  for (const fine of [grey(24), grey(60), grey(19, 700), grey(18.67, 800)]) {
    t.deepEqual(codesOf({ visuals: [fine] }), [], fine.html)
  }
  for (const bad of [grey(23), grey(18.6, 700), grey(19, 600), grey(24, 400, '#999')]) {
    t.deepEqual(codesOf({ visuals: [bad] }), low, bad.html)
  }
  const inherited = { ...at, html: '<b>Bold</b>', style: { fontSize: '19px', color: '#8a8a8a' } }
  t.deepEqual(codesOf({ visuals: [inherited] }), [])
  const ems = { ...at, html: '<span style="font-size:.5em;color:#8a8a8a">Half</span>' }
  t.deepEqual(codesOf({ visuals: [ems] }), low)
})

test('clones of a scene are one alarm, however different their words', (t) => {
  const visuals = [{ ...at, html: '<span style="color:#ddd">{{ item }}</span>' }]
  const scenes = [{ duration: 1, iterate: 'items', visuals }]
  const project = { duration: undefined, variables: { items: ['one', 'two', 'three'] }, scenes }
  t.deepEqual(codesOf(project), ['scenes[0].visuals[0] low_contrast'])
})

const white = { ...at, html: '<span style="color:#fff">White words</span>', track: 1 }
const under = (html: string, more: object = {}) => ({ type: 'TEXT', x: 0, y: 0, html, ...more })
const size = 'width:900px;height:600px'

test('words over what has no one known colour are not judged', (t) => {
  const grounds: object[] = [
    under(`<div style="${size};background:linear-gradient(#fff,#000)"></div>`),
    under(
      `<div style="${size};background-color:#eee;background-image:linear-gradient(#fff,#000)"></div>`,
    ),
    under(`<div style="${size};background:rgba(0,0,0,.8)"></div>`),
    under(`<div style="${size};background:#fff;opacity:.5"></div>`),
    under(`<div style="${size};background:#fff;box-shadow:inset 0 0 0 999px #000"></div>`),
    under(
      `<div style="position:relative;${size}"><div style="position:absolute;inset:0;background:#123"></div></div>`,
    ),
    under('<svg width="900" height="600"><path d="M0 0h900v600z"/></svg>', { width: 900 }),
    { ...image, width: 900, height: 600, angle: 10 },
    { type: 'SVG', x: 0, y: 0, svg: '<svg viewBox="0 0 900 600"><path d="M0 0h900v600z"/></svg>' },
  ]
  for (const ground of grounds) {
    t.deepEqual(codesOf({ visuals: [ground, white] }), [], JSON.stringify(ground))
  }
})

test('words over the shadow or border of a box are not judged', (t) => {
  const box = 'width:300px;height:60px;background:#fff'
  const rims = [
    ['box-shadow:0 0 0 60px #000', 105],
    ['box-shadow:0 60px 0 0 #000', 105],
    ['outline:60px solid #000', 105],
    ['border:60px solid #000', 165],
  ] as const
  for (const [rim, y] of rims) {
    const ground = under(`<div style="${box};${rim}"></div>`, { y: 40 })
    t.deepEqual(codesOf({ visuals: [ground, { ...white, y }] }), [], rim)
  }
  // Inside the border, the fill is what words stand on.
  const card = under(`<div style="width:900px;height:600px;background:#fff;border:2px solid #000">`)
  t.deepEqual(codesOf({ visuals: [card, white] }), ['visuals[1] low_contrast'])
})

test('an important colour wins over a later one', (t) => {
  const words = (style: string) => ({ ...at, html: `<span style="${style}">Words</span>` })
  t.deepEqual(codesOf({ visuals: [words('color:#000 !important;color:#fff')] }), [])
  t.deepEqual(codesOf({ visuals: [words('color:#fff!important;color:#000')] }), low)
})

test('contrast is not judged over absolutely placed fills', (t) => {
  const inner = '<span style="position:relative;color:#fff">White words</span>'
  for (const backdrop of [
    '<div style="position:absolute;inset:0;background:#123"></div>',
    '<canvas style="position:absolute;inset:0"></canvas>',
    '<div style="position:absolute;inset:0"><svg viewBox="0 0 9 9"><path d="M0 0h9v9z"/></svg></div>',
  ]) {
    const html = `<div style="position:relative;${size}">${backdrop}${inner}</div>`
    t.deepEqual(codesOf({ visuals: [{ ...at, html }] }), [], backdrop)
  }
})

test('letters that something lifts off their ground are not judged', (t) => {
  for (const css of [
    '-webkit-text-stroke-width:2px',
    'text-shadow:0 0 9px #000',
    '-webkit-background-clip:text;background:#eee',
    'mix-blend-mode:difference',
  ]) {
    const html = `<div style="color:#fff;${css}">White words</div>`
    t.deepEqual(codesOf({ visuals: [{ ...at, html }] }), [], css)
  }
})

test('the opacity of all that holds them fades words', (t) => {
  const faded = (opacity: number) => ({
    ...at,
    html: `<div style="opacity:${opacity}"><b style="color:#000">Words</b></div>`,
  })
  t.deepEqual(codesOf({ visuals: [faded(0.9)] }), [])
  t.deepEqual(codesOf({ visuals: [faded(0.3)] }), low)
})

test('words stand on the rectangles of an SVG below them', (t) => {
  const frame = (fill: string, more = '') => ({
    ...{ type: 'SVG', x: 0, y: 0, width: 1280, height: 720 },
    svg: `<svg viewBox="0 0 128 72"><rect width="100%" height="72" ${fill}/>${more}</svg>`,
  })
  const over = (ground: object) => codesOf({ visuals: [ground, white] })
  t.deepEqual(over(frame('fill="#101820"')), [])
  t.deepEqual(over(frame('fill="#f4f4f4"')), ['visuals[1] low_contrast'])
  t.deepEqual(over(frame('style="fill:#f4f4f4"')), ['visuals[1] low_contrast'])
  const card = '<rect x="2" y="2" width="120" height="60" rx="4" fill="#222"/>'
  t.deepEqual(over(frame('fill="#f4f4f4"', card)), [])
  // The root's own look counts as well.
  const rooted = (root: string) => ({
    ...frame(''),
    svg: frame('').svg.replace('<svg', `<svg ${root}`),
  })
  t.deepEqual(over(rooted('fill="#101820"')), [])
  t.deepEqual(over(rooted('fill="#f4f4f4"')), ['visuals[1] low_contrast'])
  t.deepEqual(over(rooted('fill="#f4f4f4" opacity=".5"')), [])
  const small =
    '<svg viewBox="0 0 128 72" style="background:#101820"><rect width="1" height="1"/></svg>'
  t.deepEqual(over({ ...frame(''), svg: small }), [])
  t.deepEqual(over({ ...frame(''), svg: small.replace('#101820', '#f4f4f4') }), [
    'visuals[1] low_contrast',
  ])
  // Contrast is unknown on gradients, translucent fills and shapes other than rectangles.
  for (const unknown of [
    frame('fill="url(#g)"'),
    frame('fill="#fff" opacity=".5"'),
    { ...frame('fill="#fff"'), filter: { invert: true } },
    { ...frame('fill="#fff"'), filter: { brightness: -90 } },
    { ...frame('fill="#fff"'), chromaKey: { color: '#fff' } },
    frame('fill="#fff"', '<circle cx="20" cy="15" r="20"/>'),
  ]) {
    t.deepEqual(over(unknown), [], JSON.stringify(unknown))
  }
})

test('text that overflows its box or is too small is reported', (t) => {
  const long = 'Words that go on and on for more lines than their box is high. '.repeat(3)
  const boxed = { ...at, text: long, width: 400, height: 120 }
  t.deepEqual(codesOf({ visuals: [boxed] }), ['visuals[0] text_overflow'])
  t.deepEqual(codesOf({ visuals: [{ ...boxed, height: 900, y: 0 }] }), [])
  t.deepEqual(codesOf({ visuals: [{ ...at, text: 'One line', width: 400, height: 42 }] }), [])
  const tiny = (fontSize: number) => ({ ...at, text: 'Terms apply', style: { fontSize } })
  t.deepEqual(codesOf({ visuals: [tiny(7)] }), ['visuals[0] tiny_text'])
  t.deepEqual(codesOf({ visuals: [tiny(8)] }), [])
})
