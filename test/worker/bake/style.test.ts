import test from 'ava'
import { viewportToPx } from '../../../worker/bake/page/style.ts'
import { bakeOne, bakerFor, html, pixelsOf } from './baking.ts'

const baker = bakerFor(test)
const block = (style: string, inside = '') => `<div style="${style}">${inside}</div>`

test('flex lays out, with gaps, growth and order', async (t) => {
  const part = (color: string, more = '') => block(`background:${color};height:10px;${more}`)
  const parts = `${part('#f00', 'width:20px')}${part('#0f0', 'flex:1')}${part('#00f', 'width:10px;order:-1')}`
  const row = block('display:flex;gap:5px;width:100px', parts)
  const at = await pixelsOf(await bakeOne(baker(), html(row)))
  const seen = [0, 9, 12, 15, 34, 37, 40, 99].map((x) => at(x, 5))
  const [red, green, blue, none] = [
    [255, 0, 0, 255],
    [0, 255, 0, 255],
    [0, 0, 255, 255],
    [0, 0, 0, 0],
  ]
  t.deepEqual(seen, [blue, blue, none, red, red, none, green, green])
})

test('a gradient fills its box, and the text it is clipped to', async (t) => {
  const gradient = 'background:linear-gradient(90deg,#f00,#00f)'
  const box = await pixelsOf(
    await bakeOne(baker(), html(block(`${gradient};height:9px;width:256px`))),
  )
  for (const x of [0, 64, 128, 255]) {
    const [red = 0, , blue = 0] = box(x, 4)
    t.true(Math.abs(red - (255 - x)) <= 2 && Math.abs(blue - x) <= 2, `${x}: ${red}, ${blue}`)
  }
  const clip = `${gradient};-webkit-background-clip:text;color:transparent`
  const text = await bakeOne(baker(), html(block(`${clip};font-family:Anton`, 'IIIIIIII')))
  const at = await pixelsOf(text)
  const middle = Math.round(text.height / 2)
  const inked = Array.from({ length: Math.floor(text.width) }, (_, x) => at(x, middle)).filter(
    ([, , , alpha]) => alpha === 255,
  )
  const [first, last] = [inked[0], inked.at(-1)]
  t.true((first?.[0] ?? 0) > 220 && (last?.[2] ?? 0) > 220)
})

test('letter-spacing, word-spacing and text-transform change the line as CSS says', async (t) => {
  const width = async (style: Record<string, string | number>, text = 'ab cd') =>
    (await bakeOne(baker(), html(text, { style }))).width
  const plain = await width({})
  t.is(Math.round(await width({ letterSpacing: 10 })), Math.round(plain + 50))
  t.is(Math.round(await width({ letterSpacing: '-2px' })), Math.round(plain - 10))
  t.is(Math.round(await width({ wordSpacing: '7px' })), Math.round(plain + 7))
  t.is(await width({ textTransform: 'uppercase' }), await width({}, 'AB CD'))
})

test('a transform turns about the box’s middle; the box keeps its size', async (t) => {
  const turned = block('width:100px;height:20px;background:#f00;transform:rotate(90deg)')
  const picture = await bakeOne(baker(), html(turned))
  t.deepEqual([picture.width, picture.height], [100, 20])
  t.deepEqual([picture.inkX, picture.inkY, picture.inkWidth, picture.inkHeight], [40, -40, 20, 100])
})

test('negative margins pull lines together', async (t) => {
  const lines = (margin: string) =>
    html(`${block('', 'one')}${block(`margin-top:${margin}`, 'two')}`)
  const apart = await bakeOne(baker(), lines('0'))
  const close = await bakeOne(baker(), lines('-20px'))
  t.is(close.height, apart.height - 20)
})

test('text shadows lie behind text; rounded corners and opacity are soft', async (t) => {
  const shadow = await bakeOne(baker(), html('I', { style: { textShadow: '0 100px 0 #00f' } }))
  t.true(shadow.inkHeight > 100)
  const round = block('width:40px;height:40px;border-radius:50%;background:#0f0;opacity:.5')
  const at = await pixelsOf(await bakeOne(baker(), html(round)))
  t.deepEqual(
    [at(1, 1), at(20, 20)],
    [
      [0, 0, 0, 0],
      [0, 255, 0, 128],
    ],
  )
})

test('a fitted element is drawn at its final size, despite a transform', async (t) => {
  const own = block('width:20px;height:10px;background:#f00')
  const fit = { width: 100, height: 100, style: { transform: 'rotate(180deg)' } } as const
  const contain = await bakeOne(baker(), html(own, { ...fit, resize: 'contain' }))
  t.deepEqual([contain.width, contain.height], [100, 100])
  t.deepEqual([contain.inkY, contain.inkHeight, contain.inkWidth], [25, 50, 100])
  const cover = await bakeOne(baker(), html(own, { ...fit, resize: 'cover' }))
  t.deepEqual([cover.inkX, cover.inkWidth, cover.inkHeight], [-50, 200, 100])
  const wide = await bakeOne(baker(), html(own, { width: 60, resize: 'contain' }))
  t.deepEqual([wide.width, wide.height, wide.inkHeight], [60, 30, 30])
})

test('viewport units become px, except in strings and URLs', (t) => {
  const canvas = { width: 1000, height: 500 }
  const data = 'url(data:font/woff2;base64,AA/5vw/1vh+)'
  t.is(
    viewportToPx(`a{width:10vw;src:${data};height:10dvh}`, canvas),
    `a{width:100px;src:${data};height:50px}`,
  )
  const strings = `a::after{content:"5vw \\" 5vw";margin:1vmax;quotes:'5vh'}`
  t.is(viewportToPx(strings, canvas), strings.replace('1vmax', '10px'))
  t.is(viewportToPx('a{content:"5vw\n;width:1vw}', canvas), 'a{content:"5vw\n;width:10px}')
})
