import test from 'ava'
import { image, resolved } from './outcome.ts'

/** Warnings of a film of 5 s and 1280x720 px, as `field code`. */
function codesOf(payload: object): string[] {
  const { warnings } = resolved({ duration: 5, ...payload })
  return warnings.map(({ field, code }) => `${field} ${code}`)
}

const captions = [{ start: 1, end: 4, text: 'Words to read' }]
const on = (backgroundColor: string, looks: object = {}, more: object = {}) =>
  codesOf({ backgroundColor, subtitle: { captions, ...looks }, ...more })

const low = ['subtitle.font.color low_contrast']

test('captions in nearly the colour of the film are reported', (t) => {
  t.deepEqual(on('#fff'), low)
  t.deepEqual(on('#eee'), low)
  t.deepEqual(on('#000', { font: { color: '#111' } }), low)
  t.deepEqual(on('#fff', { styles: { isBold: true } }), ['subtitle.styles.color low_contrast'])
  t.deepEqual(on('#123'), [])
  t.deepEqual(on('#fff', { font: { color: '#000' } }), [])
})

test('small captions need more contrast than large ones', (t) => {
  // #8a8a8a on white is 3.45:1.
  t.deepEqual(on('#fff', { font: { color: '#8a8a8a', size: 30 } }), low)
  t.deepEqual(on('#fff', { font: { color: '#8a8a8a', size: 60 } }), [])
})

test('an outline or box that sets captions off excuses them', (t) => {
  const fine = [
    { stroke: { color: '#000', width: 2 } },
    { stroke: {} },
    { background: { color: '#000', opacity: 0.7 } },
    { background: {} },
    { styles: { outline: { width: 3, color: '#222' } } },
    { styles: { background: '#333' } },
  ]
  for (const looks of fine) t.deepEqual(on('#fff', looks), [], JSON.stringify(looks))
  const useless = [
    { stroke: { color: '#000', width: 0 } },
    { stroke: { color: '#eee', width: 3 } },
    { background: { color: '#000', opacity: 0 } },
    { background: { color: '#000', opacity: 0.1 } },
    { background: { color: '#fafafa' } },
  ]
  for (const looks of useless) t.deepEqual(on('#fff', looks), low, JSON.stringify(looks))
  t.deepEqual(on('#000', { background: { color: '#fff' } }), low)
})

const rect = (fill: string, more: object = {}) => ({
  ...{ type: 'SVG', width: 1280, height: 720 },
  svg: `<svg viewBox="0 0 1280 720"><rect width="1280" height="720" fill="${fill}"/></svg>`,
  ...more,
})

test('captions over pictures or an unknown colour are not judged', (t) => {
  const grounds: object[] = [
    { ...image, width: 1280, height: 720 },
    image,
    rect('#fff', { opacity: 0.5 }),
    rect('#fff', { angle: 5 }),
    rect('#fff', { customCode: { css: 'svg{color:red}' } }),
    { type: 'VIDEO', src: 'https://cdn.example.com/a.mp4', width: 1280, height: 720 },
  ]
  for (const ground of grounds) {
    t.deepEqual(on('#fff', {}, { visuals: [ground] }), [], JSON.stringify(ground))
  }
})

test('a card behind captions decides, where it lies behind all of them', (t) => {
  t.deepEqual(on('#fff', {}, { visuals: [rect('#222')] }), [])
  t.deepEqual(on('#222', {}, { visuals: [rect('#fff')] }), low)
  t.deepEqual(on('#fff', {}, { visuals: [rect('#222', { y: 0, height: 72, width: 128 })] }), low)
  const top = { ...image, x: 0, y: 0, width: 1280, height: 400 }
  t.deepEqual(on('#fff', {}, { visuals: [top] }), low)
  t.deepEqual(on('#fff', { position: 'top' }, { visuals: [top] }), [])
})

test('captions are judged by most of their time', (t) => {
  const dark = (enterBegin: number, exitEnd: number) => [rect('#222', { enterBegin, exitEnd })]
  t.deepEqual(on('#fff', {}, { visuals: dark(1, 3) }), [])
  t.deepEqual(on('#fff', {}, { visuals: dark(1, 2) }), low)
  t.deepEqual(on('#fff', {}, { visuals: dark(4, 5) }), low)
  const fading = [rect('#222', { enterAnimation: 'fade', enterEnd: 4 })]
  t.deepEqual(on('#fff', {}, { visuals: fading }), [])
})

test('each scene has its own colour', (t) => {
  const scenes = [
    { duration: 3, backgroundColor: '#123' },
    { duration: 3, backgroundColor: '#fff' },
  ]
  const at = (start: number) => {
    const subtitle = { captions: [{ start, end: start + 1, text: 'Hello' }] }
    const visuals = [{ ...image, width: 10, height: 10 }]
    return codesOf({ duration: undefined, scenes, visuals, subtitle })
  }
  t.deepEqual(at(1), [])
  t.deepEqual(at(4), low)
})

test('captions of a file are judged on a film of one colour', (t) => {
  const subtitle = { src: 'https://cdn.example.com/a.srt' }
  t.deepEqual(codesOf({ subtitle }), low)
  t.deepEqual(codesOf({ subtitle, backgroundColor: '#123' }), [])
  t.deepEqual(codesOf({ subtitle, visuals: [{ ...image, width: 1280, height: 720 }] }), [])
  t.deepEqual(codesOf({ subtitle, duration: undefined, durationMode: 'auto' }), low)
})

test('an active word counts if it alone shows or is nearly invisible', (t) => {
  const active = ['subtitle.activeWord.color low_contrast']
  const black = { color: '#000' }
  t.deepEqual(
    on('#fff', { animation: 'one-word', font: black, activeWord: { color: '#fff' } }),
    active,
  )
  t.deepEqual(on('#fff', { animation: 'one-word', activeWord: black }), [])
  t.deepEqual(on('#fff', { animation: 'karaoke', font: black }), active)
  t.deepEqual(on('#fff', { animation: 'karaoke', font: { color: '#bbb' }, activeWord: black }), [])
  t.deepEqual(on('#fff', { animation: 'highlight', font: black }), [])
  t.deepEqual(on('#fff', { animation: 'highlight' }), low)
})

test('captions larger than the canvas are reported', (t) => {
  t.deepEqual(on('#123', { font: { size: 721 } }), ['subtitle.font.size off_canvas'])
  t.deepEqual(on('#123', { styles: { fontSize: 1000 } }), ['subtitle.styles.fontSize off_canvas'])
  t.deepEqual(on('#123', { font: { size: 600 } }), ['subtitle.captions[0] off_canvas'])
  t.deepEqual(on('#123', { font: { size: 160 } }), [])
  const src = { src: 'https://cdn.example.com/a.srt', captions: undefined, font: { size: 900 } }
  t.deepEqual(on('#123', src), ['subtitle.font.size off_canvas'])
})

test('captions outside the canvas, or cut by its edges, are reported', (t) => {
  const out = ['subtitle.margin off_canvas']
  const cut = ['subtitle.captions[0] off_canvas']
  for (const position of ['top', 'bottom', 'center'] as const) {
    t.deepEqual(on('#123', { position, margin: { y: 3000 } }), out, position)
    t.deepEqual(on('#123', { position, margin: { y: 200 } }), [], position)
  }
  t.deepEqual(on('#123', { margin: { y: -60 } }), out)
  t.deepEqual(on('#123', { margin: { y: -25 } }), cut)
  t.deepEqual(on('#123', { margin: { y: -4 } }), [])
  t.deepEqual(on('#123', { position: 'top-left', margin: { x: 1300 } }), out)
  t.deepEqual(on('#123', { position: 'top-right', margin: { x: -700 } }), out)
  t.deepEqual(on('#123', { styles: { marginV: 3000 } }), ['subtitle.styles off_canvas'])
  const long = [{ start: 1, end: 4, text: 'x'.repeat(200) }]
  t.deepEqual(on('#123', { captions: long }), cut)
  const rows = [{ start: 1, end: 4, text: Array(40).fill('row').join('\n') }]
  t.deepEqual(on('#123', { captions: rows }), cut)
})
