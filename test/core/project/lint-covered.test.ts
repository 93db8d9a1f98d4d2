import test from 'ava'
import { resolved } from './outcome.ts'

/** Warnings of a project of 1280x720 px on white, as `field code`. */
function codesOf(payload: object): string[] {
  const { warnings } = resolved(payload)
  return warnings.map(({ field, code }) => `${field} ${code}`)
}

const title = { type: 'TEXT', text: 'A title', x: 100, y: 100 }
const full = { width: 1280, height: 720 }
const photo = { type: 'IMAGE', src: 'https://cdn.example.com/a.jpg', ...full }
const clip = { type: 'VIDEO', src: 'https://cdn.example.com/a.mp4', ...full }
const drawn = (inner: string, root = '') => ({
  ...{ type: 'SVG', ...full },
  svg: `<svg viewBox="0 0 1280 720"${root}>${inner}</svg>`,
})
const rect = '<rect width="1280" height="720" fill="#123"/>'
const plate = drawn(rect)
const hidden = ['visuals[0] never_visible']

const under = (upper: object, lower: object = title) =>
  codesOf({ duration: 5, visuals: [lower, upper] })

test('an element under an opaque one is reported', (t) => {
  const stops = '<stop stop-color="#123"/><stop offset="1" style="stop-color:#000"/>'
  const covers: object[] = [
    plate,
    drawn('<rect width="100%" height="100%" style="fill:#123"/><circle r="9"/>'),
    drawn(
      `<defs><linearGradient id="g">${stops}</linearGradient></defs><rect width="1280" height="720" fill="url(#g)"/>`,
    ),
    drawn('<rect x="50" y="50" width="600" height="200" rx="20" fill="#123"/>'),
    photo,
    { ...photo, src: 'https://cdn.example.com/a.JPEG?w=1280' },
    { ...photo, width: undefined, height: undefined, resize: 'cover' },
    clip,
    {
      type: 'TEXT',
      ...{ x: 50, y: 50 },
      html: '<div style="background:#123;width:700px;height:300px"></div>',
    },
  ]
  for (const cover of covers) t.deepEqual(under(cover), hidden, JSON.stringify(cover))
})

test('elements that may let something through hide nothing', (t) => {
  const half = '<stop stop-color="#123" stop-opacity="0.5"/><stop offset="1" stop-color="#000"/>'
  const covers: object[] = [
    { ...plate, opacity: 0.9 },
    { ...plate, angle: 1 },
    { ...plate, customCode: { css: 'svg{opacity:0}' } },
    { ...plate, chromaKey: { color: '#123' } },
    { ...plate, filter: { blur: 20 } },
    { ...plate, x: 150 },
    { ...plate, enterBegin: 1 },
    { ...plate, exitEnd: 4 },
    { ...plate, enterAnimation: 'fade', enterEnd: 1 },
    { ...plate, exitAnimation: 'wipeleft', exitBegin: 4, exitEnd: 5 },
    { ...plate, width: 1280, height: 100 },
    drawn(rect, ' opacity="0.5"'),
    drawn('<rect width="1280" height="720" fill="none"/>'),
    drawn('<rect width="1280" height="720" fill="rgba(0,0,0,.5)"/>'),
    drawn('<rect width="1280" height="720" fill-opacity=".9"/>'),
    drawn('<rect width="1280" height="720" transform="scale(.1)"/>'),
    drawn(`<g opacity="0.1">${rect}</g>`),
    drawn(`<defs>${rect}</defs><circle r="9"/>`),
    drawn(`<mask id="m">${rect}</mask>`),
    drawn('<circle cx="640" cy="360" r="900"/>'),
    drawn(
      `<defs><linearGradient id="g">${half}</linearGradient></defs><rect width="1280" height="720" fill="url(#g)"/>`,
    ),
    drawn('<rect x="98" y="98" width="250" height="70" rx="35" fill="#123"/>'),
    { ...photo, src: 'https://cdn.example.com/a.png' },
    { ...photo, src: 'https://cdn.example.com/a' },
    { ...photo, src: 'https://cdn.example.com/a.webp?from=a.jpg' },
    { ...photo, src: 'https://cdn.example.com/a.jpg?fm=png&bg-remove=true' },
    { ...photo, src: 'https://cdn.example.com/f_png,e_background_removal/a.jpg' },
    { ...photo, resize: 'contain' },
    { ...photo, width: 1280, height: undefined },
    { ...photo, width: undefined, height: undefined },
    { ...photo, radius: { tl: 360, tr: 360, bl: 360, br: 360 } },
    { ...photo, chromaKey: { color: '#0f0' } },
    { ...clip, src: 'https://cdn.example.com/a.webm' },
    { ...photo, type: 'GIF', src: 'https://cdn.example.com/a.gif' },
  ]
  for (const cover of covers) {
    const codes = under(cover).filter((code) => code.endsWith('never_visible'))
    t.deepEqual(codes, [], JSON.stringify(cover))
  }
})

test('a drawing’s root counts for its shapes, and so does their style', (t) => {
  const bare = '<rect width="1280" height="720" stroke="#fff"/>'
  const styled = (style: string) => `<rect width="1280" height="720" fill="#123" style="${style}"/>`
  const clear = '<linearGradient id="g"><stop stop-color="#123" stop-opacity="0"/></linearGradient>'
  const twice = `${clear}${clear.replace(' stop-opacity="0"', '')}<rect width="1280" height="720" fill="url(#g)"/>`
  const covers = [
    ...[' fill="none"', ' style="fill:none"', ' fill-opacity="0.3"'].map((root) =>
      drawn(bare, root),
    ),
    ...['margin-left:800px', 'rotate:30deg', 'translate:900px'].map((style) =>
      drawn(rect, ` style="${style}"`),
    ),
    ...['width:10px', 'x:900px', 'translate:900px 0', 'scale:.1', 'rotate:45deg'].map((style) =>
      drawn(styled(style)),
    ),
    drawn(twice),
  ]
  for (const cover of covers) t.deepEqual(under(cover), [], cover.svg)
  for (const root of [' fill="#123"', ' width="320" height="180" style="width:50%;fill:#123"']) {
    t.deepEqual(under(drawn(bare, root)), hidden, root)
  }
})

test('a block counts only where its size and place are written', (t) => {
  const box = (style: object, html = '&nbsp;') => ({
    ...{ type: 'TEXT', html, ...full, x: 0, y: 0 },
    style: { background: '#123', color: '#fff', ...style },
  })
  const nevers = (cover: object) => under(cover).filter((code) => code.endsWith('never_visible'))
  const styles = [
    ...[{ visibility: 'hidden' }, { display: 'none' }, { zoom: '0.2' }, { maxWidth: '200px' }],
    ...[{ maxHeight: '90px' }, { marginLeft: '900px' }, { scale: '0.1' }, { opacity: 0.5 }],
    { backgroundClip: 'text' },
  ]
  for (const style of styles) t.deepEqual(nevers(box(style)), [], JSON.stringify(style))
  const fill = 'height:720px;background:#123'
  const inner = [
    ...['max-height:90px', 'width:max-content', 'width:min-content', 'display:inline'].map(
      (more) => `<div style="${fill};width:1280px;${more}">x</div>`,
    ),
    `<div style="height:90px;overflow:hidden"><div style="${fill};width:1280px">x</div></div>`,
    `<div style="display:grid;justify-items:center"><div style="${fill}">x</div></div>`,
    `<div style="display:flex;flex-direction:column"><div style="${fill};align-self:center">x</div></div>`,
    `<div style="position:relative;right:900px"><div style="${fill};width:1280px">x</div></div>`,
    `Words<br/><div style="${fill};width:1280px">x</div>`,
  ]
  const clear = { background: 'none' }
  for (const html of inner) t.deepEqual(nevers(box(clear, html)), [], html)
  t.deepEqual(nevers(box({})), hidden)
  t.deepEqual(nevers(box(clear, `<div style="${fill};width:1280px">x</div>`)), hidden)
})

test('lower tracks and earlier places lie below', (t) => {
  t.deepEqual(
    codesOf({ duration: 5, visuals: [plate, { ...title, style: { color: '#fff' } }] }),
    [],
  )
  t.deepEqual(codesOf({ duration: 5, visuals: [{ ...plate, track: 2 }, title] }), [
    'visuals[1] never_visible',
  ])
})

test('covers that follow each other hide together', (t) => {
  const [first, second] = [
    { ...plate, exitEnd: 2 },
    { ...plate, enterBegin: 2 },
  ]
  t.deepEqual(codesOf({ duration: 5, visuals: [title, first, second] }), hidden)
  t.deepEqual(codesOf({ duration: 5, visuals: [title, first, { ...plate, enterBegin: 2.5 }] }), [])
})

test('elements of the project hide those of scenes for the whole scene', (t) => {
  const scenes = [2, 3].map((duration) => ({ duration, visuals: [title] }))
  t.deepEqual(codesOf({ scenes, visuals: [plate] }), [
    'scenes[0].visuals[0] never_visible',
    'scenes[1].visuals[0] never_visible',
  ])
  t.deepEqual(codesOf({ scenes, visuals: [{ ...plate, exitEnd: 3 }] }), [
    'scenes[0].visuals[0] never_visible',
  ])
})

test('a scene of unknown length ends with its elements', (t) => {
  const visuals = [title, { ...clip, width: 10, height: 10, y: 600 }]
  t.deepEqual(codesOf({ scenes: [{ visuals: [...visuals, plate] }] }), [
    'scenes[0].visuals[0] never_visible',
  ])
  const short = { ...plate, exitEnd: 12 }
  t.deepEqual(codesOf({ scenes: [{ visuals: [...visuals, short] }] }), [])
})

test('a still is judged at its one moment', (t) => {
  const still = (upper: object, snapshotTime: number) =>
    codesOf({ type: 'image', snapshotTime, visuals: [title, upper] })
  t.deepEqual(still({ ...plate, enterBegin: 1 }, 2), hidden)
  t.deepEqual(still({ ...plate, enterBegin: 3 }, 2), ['visuals[1] never_visible'])
})

test('elements with a use below others are not reported', (t) => {
  // Sound, a plate until the picture has come, a shadow that hangs out, and what is seen before.
  t.deepEqual(under({ ...photo }, clip), [])
  t.deepEqual(under({ ...photo }, { ...clip, volume: 0 }), hidden)
  t.deepEqual(under({ ...photo }, plate), [])
  const card = { ...photo, x: 100, y: 100, width: 400, height: 300 }
  const shadow = {
    ...{ type: 'TEXT', x: 120, y: 120 },
    html: '<div style="width:360px;height:260px;box-shadow:0 0 80px #000">Shadow</div>',
  }
  t.deepEqual(under(card, shadow), [])
  t.deepEqual(
    under({ ...photo, enterBegin: 1 }, { ...photo, src: 'https://cdn.example.com/b.jpg' }),
    [],
  )
})
