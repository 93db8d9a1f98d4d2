import test from 'ava'
import sharp from 'sharp'
import { studioFor } from './studio.ts'

const studio = studioFor(test)
const canvas = { width: 120, height: 80 }
const photo = 'https://example.com/photo.png'
const screen = 'https://example.com/screen.png'
const dull = 'https://example.com/dull.png'

/** Four quarters: red, green, blue, white; 60 x 40 px. */
const quarters = `<svg xmlns="http://www.w3.org/2000/svg" width="60" height="40"><rect width="60" height="40" fill="#fff"/><rect width="30" height="20" fill="#f00"/><rect x="30" width="30" height="20" fill="#0f0"/><rect y="20" width="30" height="20" fill="#00f"/></svg>`
/** A grey square on a green screen, 60 x 40 px. */
const greenScreen = `<svg xmlns="http://www.w3.org/2000/svg" width="60" height="40"><rect width="60" height="40" fill="#0f0"/><rect x="20" y="10" width="20" height="20" fill="#999"/></svg>`
const media = async () => ({
  [photo]: await sharp(Buffer.from(quarters)).png().toBuffer(),
  [dull]: await sharp({ create: { width: 60, height: 40, channels: 3, background: '#8c6262' } })
    .png()
    .toBuffer(),
  [screen]: await sharp(Buffer.from(greenScreen)).png().toBuffer(),
})

const circle = '<svg viewBox="0 0 60 40"><circle cx="30" cy="20" r="10" fill="#00f"/></svg>'
const red = [255, 0, 0, 255]
const green = [0, 255, 0, 255]
const blue = [0, 0, 255, 255]
const white = [255, 255, 255, 255]
const black = [0, 0, 0, 255]
const grey = [153, 153, 153, 255]

type Expected = Readonly<Record<string, readonly number[]>>

/** Name, visual, and expected colours at `x,y` on black. */
const elements: [what: string, visual: object, expected: Expected][] = [
  ['an IMAGE has its own size', {}, { '0,0': red, '59,0': green, '0,39': blue, '60,0': black }],
  ['x and y place its corner', { x: 10, y: 5 }, { '9,5': black, '10,5': red, '69,44': white }],
  [
    'one edge keeps the proportions',
    { width: 30 },
    { '29,19': white, '30,0': black, '0,20': black },
  ],
  [
    'two edges are filled, as cover does',
    { width: 20, height: 80 },
    { '8,38': red, '11,38': green, '8,41': blue, '20,0': black },
  ],
  [
    'contain keeps all of it in the box',
    { width: 40, height: 80, resize: 'contain' },
    { '0,26': black, '0,27': red, '39,52': white, '39,54': black },
  ],
  [
    'cover fills the box and cuts the sides off',
    { width: 40, height: 80, resize: 'cover' },
    { '0,0': red, '18,0': red, '21,0': green, '39,79': white },
  ],
  ['cover without a box fills the canvas', { resize: 'cover' }, { '0,0': red, '119,79': white }],
  [
    'a position lies flush with the edge',
    { position: 'bottom-right' },
    { '60,40': red, '59,40': black, '119,79': white },
  ],
  [
    'an anchor of its own hangs it elsewhere',
    { position: 'center-center', anchor: 'top-left' },
    { '60,40': red, '59,39': black },
  ],
  ['a position counts, x and y do not', { position: 'top-left', x: 50, y: 50 }, { '0,0': red }],
  [
    'cropParams take a part of the source',
    { cropParams: { x: 30, y: 0, width: 30, height: 20 } },
    { '0,0': green, '29,19': green, '30,0': black },
  ],
  ['flipH turns left and right', { flipH: true }, { '0,0': green, '59,0': red, '0,39': white }],
  ['flipV turns up and down', { flipV: true }, { '0,0': blue, '0,39': red, '59,0': white }],
  [
    'angle turns clockwise about the middle',
    { x: 20, y: 20, angle: 90 },
    { '31,11': blue, '69,11': red, '69,68': green, '29,40': black },
  ],
  ['opacity lets the ground through', { opacity: 0.4 }, { '5,5': [102, 0, 0, 255] }],
  ['radius rounds each corner alone', { radius: { tl: 20 } }, { '1,1': black, '59,0': green }],
  [
    'a flip turns the picture with its corners',
    { radius: { tl: 20, br: 10 }, flipH: true },
    { '0,0': green, '58,1': black, '59,39': blue, '0,39': black },
  ],
  [
    'and so does a flip upside down',
    { radius: { tl: 20, tr: 10 }, flipV: true },
    { '0,0': blue, '59,0': white, '1,38': black, '59,39': black },
  ],
  ['zoom is cut off at its box', { zoom: { depth: 3 } }, { '0,0': red, '60,0': black }],
  ['invert true', { filter: { invert: true } }, { '0,0': [0, 255, 255, 255] }],
  ['invert by 0.2', { filter: { invert: 0.2 } }, { '0,0': [204, 51, 51, 255] }],
  ['brightness -50', { filter: { brightness: -50 } }, { '59,39': [128, 128, 128, 255] }],
  ['contrast -100', { filter: { contrast: -100 } }, { '0,0': [128, 128, 128, 255] }],
  [
    'saturate 50 is twice as much',
    { src: dull, filter: { saturate: 50 } },
    { '0,0': [173, 89, 89, 255] },
  ],
  [
    'saturate 100 is three times as much',
    { src: dull, filter: { saturate: 100 } },
    { '0,0': [206, 80, 80, 255] },
  ],
  ['saturate -100', { filter: { saturate: -100 } }, { '0,0': [54, 54, 54, 255] }],
  ['hue-rotate with deg', { filter: { 'hue-rotate': '-360deg' } }, { '0,0': red }],
  ['hue-rotate without deg', { filter: { 'hue-rotate': '180' } }, { '0,0': [0, 109, 109, 255] }],
  ['colorTint multiplies', { filter: { colorTint: '#f80' } }, { '59,39': [255, 136, 0, 255] }],
  ['a blur of 0 in a string', { filter: { blur: '0' } }, { '29,0': red, '30,0': green }],
  [
    'chromaKey lets the ground through, its default keeps grey',
    { src: screen, chromaKey: { color: '#0f0' } },
    { '0,0': black, '30,20': grey, '19,20': black, '20,20': grey },
  ],
  [
    'chromaKey is before the filter, the crop and the flip',
    {
      ...{ src: screen, chromaKey: { color: '#0f0', similarity: 20, blend: 5 }, flipH: true },
      ...{ cropParams: { x: 0, y: 0, width: 30, height: 40 }, filter: { invert: true } },
    },
    { '0,20': [102, 102, 102, 255], '29,0': black, '9,20': [102, 102, 102, 255], '10,20': black },
  ],
  [
    'an SVG has the size of its viewBox',
    { type: 'SVG', svg: circle },
    { '30,20': blue, '18,20': black },
  ],
  [
    'an SVG scales sharply',
    { type: 'SVG', svg: circle, width: 120 },
    { '60,22': blue, '60,18': black },
  ],
  [
    'an SVG takes filters',
    { type: 'SVG', svg: circle, filter: { invert: true } },
    { '30,20': [255, 255, 0, 255], '0,0': black },
  ],
  [
    'an SVG takes a chromaKey',
    { type: 'SVG', svg: circle, chromaKey: { color: '#00f' } },
    { '30,20': black },
  ],
  [
    'a TEXT is what its html says',
    {
      type: 'TEXT',
      html: '<div style="width:20px;height:10px;background:#0f0"></div>',
      x: 5,
      y: 5,
    },
    { '5,5': green, '24,14': green, '25,5': black },
  ],
  [
    'a TEXT with a box has its style around it',
    { type: 'TEXT', html: ' <br>', width: 20, height: 10, style: { border: '5px solid #00f' } },
    { '0,0': blue, '29,19': blue, '15,10': black, '30,0': black },
  ],
]

for (const [what, visual, expected] of elements) {
  test(`${what}, the same in a still, a film and a scene`, async (t) => {
    const visuals = [{ ...('svg' in visual || 'html' in visual ? {} : image), ...visual }]
    const shared = { ...canvas, backgroundColor: '#000' }
    const scenes = [{ duration: 1, visuals }]
    const files = await media()
    const still = await studio({ payload: { ...shared, type: 'image', visuals }, media: files })
    for (const [place, color] of Object.entries(expected)) {
      const [x = 0, y = 0] = place.split(',').map(Number)
      const seen = still.at(x, y)
      const isClose = seen.every((value, c) => Math.abs(value - (color[c] ?? 0)) <= 1)
      t.true(isClose, `${place}: expected ${color}. Got ${seen}`)
    }
    const film = await studio({ payload: { ...shared, visuals }, media: files })
    t.true(film.rgba.equals(still.rgba), 'film')
    const scene = await studio({ payload: { ...shared, scenes }, media: files })
    t.true(scene.rgba.equals(still.rgba), 'scene')
  })
}

const image = { type: 'IMAGE', src: photo }

test('higher tracks lie on top, on one track the later one', async (t) => {
  const box = (color: string, track: number) => ({
    ...{ type: 'TEXT', track, width: 20, height: 20 },
    html: `<div style="height:20px;background:${color}"></div>`,
  })
  const visuals = [box('#f00', 2), box('#0f0', 1), box('#00f', 2)]
  const shot = await studio({ payload: { ...canvas, type: 'image', visuals } })
  t.deepEqual(shot.at(5, 5), blue)
})

test('a blur spreads inside an SVG’s box, not only over its ink', async (t) => {
  const filter = { blur: 20 }
  const visuals = [{ type: 'SVG', svg: circle, filter }]
  const payload = { ...canvas, type: 'image', backgroundColor: '#fff', visuals }
  const shot = await studio({ payload })
  const [, beside = 255] = shot.at(17, 20)
  t.true(beside > 150 && beside < 250, `3 px beside the circle: ${beside}`)
  t.deepEqual(shot.at(61, 20), white)
})

test('one photograph with two keys and with none is three pictures', async (t) => {
  const visuals = [
    { type: 'IMAGE', src: screen },
    { type: 'IMAGE', src: screen, x: 60, chromaKey: { color: '#0f0', similarity: 10 } },
    { type: 'IMAGE', src: screen, y: 40, chromaKey: { color: '#999', similarity: 10 } },
  ]
  const payload = { ...canvas, type: 'image', backgroundColor: '#000', visuals }
  const shot = await studio({ payload, media: await media() })
  t.deepEqual([shot.at(0, 0), shot.at(30, 20)], [green, grey])
  t.deepEqual([shot.at(60, 0), shot.at(90, 20)], [black, grey])
  t.deepEqual([shot.at(0, 40), shot.at(30, 60)], [green, black])
})

test('the browser draws a TEXT with resize at its final size', async (t) => {
  const html = '<div style="width:20px;height:10px;background:#0f0"></div>'
  const text = { type: 'TEXT', html, width: 100, height: 80 }
  const shots = await Promise.all(
    ['contain', 'cover'].map((resize) =>
      studio({
        payload: {
          ...{ ...canvas, type: 'image', backgroundColor: '#000' },
          visuals: [{ ...text, resize }],
        },
      }),
    ),
  )
  const [contain, cover] = shots
  t.deepEqual([contain?.at(0, 14), contain?.at(0, 15), contain?.at(99, 64)], [black, green, green])
  t.deepEqual([cover?.at(0, 0), cover?.at(99, 79), cover?.at(100, 0)], [green, green, black])
})

test('snapshotTime is a timeline moment: what is absent then is not seen', async (t) => {
  const visuals = [
    { ...image, enterBegin: 1, exitEnd: 2 },
    { ...image, x: 60, enterBegin: 2, enterEnd: 4, enterAnimation: 'fade' },
  ]
  const payload = { ...canvas, type: 'image', backgroundColor: '#000', visuals }
  const files = await media()
  const at0 = await studio({ payload, media: files })
  t.deepEqual([at0.at(0, 0), at0.at(60, 0)], [black, black])
  const at1 = await studio({ payload: { ...payload, snapshotTime: 1.5 }, media: files })
  t.deepEqual([at1.at(0, 0), at1.at(60, 0)], [red, black])
  const at3 = await studio({ payload: { ...payload, snapshotTime: 3 }, media: files })
  t.deepEqual([at3.at(0, 0), at3.at(60, 0)], [black, [128, 0, 0, 255]])
})

test('zoom reaches its depth at the end of the window', async (t) => {
  const visuals = [{ ...image, width: 120, zoom: { depth: 2 }, exitEnd: 1 }]
  const payload = { ...canvas, frameRate: 10, duration: 2, backgroundColor: '#000', visuals }
  const files = await media()
  const first = await studio({ payload, media: files })
  const last = await studio({ payload, media: files, frame: 9 })
  t.deepEqual([first.at(0, 0), last.at(0, 0)], [red, red])
  const gone = await studio({ payload, media: files, frame: 10 })
  t.deepEqual(gone.at(0, 0), black)
})

test('an SVG’s enter is of its box, not of its ink', async (t) => {
  const rect = '<rect x="80" y="40" width="40" height="20" fill="#f00"/>'
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100">${rect}</svg>`
  const entering = { x: 60, enterEnd: 1, enterAnimation: 'wiperight' }
  const visuals = [{ type: 'SVG', svg, ...entering }]
  const size = { width: 320, height: 100, backgroundColor: '#000' }
  const at = async (snapshotTime: number) =>
    studio({ payload: { ...size, type: 'image', snapshotTime, visuals } })
  const early = await at(0.3)
  t.deepEqual([early.at(141, 50), early.at(170, 50)], [black, black])
  const half = await at(0.5)
  t.deepEqual([half.at(141, 50), half.at(170, 50)], [red, black])
})

test('a shadow beyond the box comes with its element, never cut off', async (t) => {
  const html =
    '<div style="width:40px;height:20px;background:#f00;box-shadow:0 0 0 10px #0f0"></div>'
  const text = { type: 'TEXT', html, x: 20, y: 20, enterEnd: 1 }
  const at = async (snapshotTime: number, enterAnimation: string) => {
    const visuals = [{ ...text, enterAnimation }]
    const payload = { ...canvas, type: 'image', backgroundColor: '#000', snapshotTime, visuals }
    return studio({ payload })
  }
  const wiped = await at(0.5, 'wiperight')
  t.deepEqual([wiped.at(30, 30), wiped.at(50, 30)], [red, black])
  // The overhang on the left has been passed, the one on the right has not.
  t.deepEqual([wiped.at(15, 30), wiped.at(65, 30)], [green, black])
  const slid = await at(0.5, 'slideright')
  t.deepEqual([slid.at(45, 30), slid.at(35, 30), slid.at(15, 30)], [green, red, red])
  const faded = await at(0.5, 'fade')
  t.deepEqual(
    [faded.at(40, 30), faded.at(40, 15)],
    [
      [128, 0, 0, 255],
      [0, 128, 0, 255],
    ],
  )
  const done = await at(1, 'wiperight')
  t.deepEqual([done.at(40, 30), done.at(15, 30)], [red, green])
})

test('a margin moves a TEXT from its corner', async (t) => {
  const html = '<div style="width:20px;height:10px;background:#f00"></div>'
  const corner = { position: 'bottom-right', anchor: 'bottom-right' }
  const visuals = [
    { type: 'TEXT', html, style: { marginTop: '30px', margin: '0 0 0 -5px' } },
    { type: 'TEXT', html, ...corner, style: { marginRight: 8, 'margin-bottom': '4px' } },
  ]
  const payload = { ...canvas, type: 'image', backgroundColor: '#000', visuals }
  const shot = await studio({ payload })
  t.deepEqual([shot.at(14, 5), shot.at(15, 5)], [red, black])
  const { width, height } = shot
  t.deepEqual([shot.at(width - 9, height - 5), shot.at(width - 8, height - 5)], [red, black])
  t.deepEqual(shot.at(width - 9, height - 4), black)
})
