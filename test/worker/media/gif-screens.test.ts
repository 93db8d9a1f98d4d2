import { copyFile, readFile, writeFile } from 'node:fs/promises'
import test, { type ExecutionContext } from 'ava'
import { decodePicture } from '../../../worker/media/decode-picture.ts'
import { look, scratch } from './clip-look.ts'
import { pictureFile } from './colored-png.ts'
import { type GifFrame, gifBy, lettersOf } from './gif-by.ts'

const [red, green, blue, white] = [0, 1, 2, 3]
const [clears, goesBack] = [2, 3]
const all = [0, 0, 8, 8] as const
const middle = [2, 2, 4, 4] as const
const corner = [4, 4, 4, 4] as const
const rrrr = 'rrrr rrrr rrrr rrrr'

/**
 * Each frame of the GIF, a tenth of a second long, as letters; then the first as an IMAGE shows it.
 */
async function framesOf(t: ExecutionContext, gif: Buffer) {
  const path = await scratch(t)
  await writeFile(path('gif'), gif)
  const { facts, decode } = await look(path('gif'), 'gif')
  const { width, height, frameRate } = facts
  const count = (facts.frames * frameRate[1] * 10) / frameRate[0]
  const wanted = Array.from({ length: count }, (_, i) => (i * frameRate[0]) / (10 * frameRate[1]))
  const shown = (await decode(wanted)).map((raw) => lettersOf({ width, height, raw }))
  const still = lettersOf(await decodePicture(gif))
  return { shown, still, size: [width, height], warnings: facts.warnings }
}

/** Expected as in Chromium 156. */
for (const [what, frames, options, expected] of [
  [
    'a first frame smaller than its screen is clear around',
    [
      { box: middle, color: red },
      { box: corner, color: green },
    ],
    { background: white },
    ['.... .rr. .rr. ....', '.... .rr. .rgg ..gg'],
  ],
  [
    'a disposed frame leaves its place clear, whatever the background colour',
    [
      { box: all, color: red, disposal: clears },
      { box: corner, color: green, disposal: clears },
      { box: middle, color: blue },
    ],
    { background: white },
    [rrrr, '.... .... ..gg ..gg', '.... .bb. .bb. ....'],
  ],
  [
    'a first frame that goes back leaves nothing',
    [
      { box: all, color: red, disposal: goesBack },
      { box: corner, color: green },
    ],
    { background: white },
    [rrrr, '.... .... ..gg ..gg'],
  ],
  [
    'disposal 4 goes back, as 3 does',
    [
      { box: all, color: red },
      { box: middle, color: green, disposal: 4 },
      { box: corner, color: blue },
    ],
    {},
    [rrrr, 'rrrr rggr rggr rrrr', 'rrrr rrrr rrbb rrbb'],
  ],
  [
    'a screen of 0 x 0 has the size of its first frame',
    [
      { box: all, color: red },
      { box: corner, color: green },
    ],
    { screen: [0, 0] },
    [rrrr, 'rrrr rrrr rrgg rrgg'],
  ],
  [
    'a first frame beyond its screen widens it',
    [{ box: corner, color: red }],
    { screen: [4, 4] },
    ['.... .... ..rr ..rr'],
  ],
  [
    'a later frame beyond the screen is cut at its edge',
    [
      { box: all, color: red },
      { box: [4, 4, 8, 8], color: green },
      { box: [0, 0, 12, 4], color: blue },
    ],
    {},
    [rrrr, 'rrrr rrrr rrgg rrgg', 'bbbb bbbb rrgg rrgg'],
  ],
  [
    'a frame outside the screen, or of no size, shows nothing for its time',
    [
      { box: all, color: red },
      { box: [20, 20, 4, 4], color: green },
      { box: [2, 2, 0, 0], color: green },
      { box: corner, color: blue },
    ],
    {},
    [rrrr, rrrr, rrrr, 'rrrr rrrr rrbb rrbb'],
  ],
  [
    'a clear colour that is not in the palette clears nothing',
    [
      { box: all, color: red, clear: 200 },
      { box: corner, color: white, clear: 4 },
    ],
    {},
    [rrrr, 'rrrr rrrr rrww rrww'],
  ],
  [
    'a palette of its own counts for a frame alone',
    [
      { box: all, color: red },
      { box: middle, color: red, palette: [0, 0, 255, 0, 0, 0, 0, 0, 0, 0, 0, 0] },
      { box: corner, color: red },
    ],
    {},
    [rrrr, 'rrrr rbbr rbbr rrrr', 'rrrr rbbr rbrr rrrr'],
  ],
  [
    'delays of 0 and 1 hundredths are a tenth of a second',
    [
      { box: all, color: red, delay: 0 },
      { box: corner, color: green, delay: 1 },
      { box: middle, color: blue, delay: 0 },
    ],
    {},
    [rrrr, 'rrrr rrrr rrgg rrgg', 'rrrr rbbr rbbg rrgg'],
  ],
  ['a trailer that lacks is not missed', [{ box: all, color: red }], { end: [] }, [rrrr]],
  ['bytes that are no block end it', [{ box: all, color: red }], { end: [9, 9, 9] }, [rrrr]],
] as [string, GifFrame[], Parameters<typeof gifBy>[1], string[]][]) {
  test(`GIF: ${what}`, async (t) => {
    const { shown, still, warnings } = await framesOf(t, gifBy(frames, options))
    t.deepEqual(shown, expected)
    t.is(still, expected[0] ?? '')
    t.is(warnings, undefined)
  })
}

test('a GIF cut within its last frame drops it, with a warning', async (t) => {
  const gif = gifBy([
    { box: all, color: red },
    { box: corner, color: green },
    { box: all, color: blue },
  ])
  const { shown, warnings } = await framesOf(t, gif.subarray(0, -20))
  t.deepEqual(shown, [rrrr, 'rrrr rrrr rrgg rrgg'])
  t.deepEqual(warnings, [
    'This gif file is cut off. It is shown up to its last whole frame, number 2.',
  ])
})

test('a GIF without a frame is refused', async (t) => {
  await t.throwsAsync(framesOf(t, gifBy([])), { message: /no size|cut off|damaged/ })
})

test('prev-all.gif is clear around its first frame', async (t) => {
  const path = await scratch(t)
  await copyFile(pictureFile('prev-all.gif'), path('gif'))
  const { facts, decode, at } = await look(path('gif'), 'gif')
  t.like(facts, { width: 80, height: 60 })
  const [first] = await decode([0])
  t.deepEqual(first && at(first, 0.1, 0.1), [220, 30, 30, 255])
  t.is(first && at(first, 0.5, 0.5)[3], 0)
})

test('zero-screen.gif takes its first frame’s size, as GIF and as IMAGE', async (t) => {
  const path = await scratch(t)
  await copyFile(pictureFile('zero-screen.gif'), path('gif'))
  t.like((await look(path('gif'), 'gif')).facts, { width: 80, height: 60 })
  t.like(await decodePicture(await readFile(path('gif'))), { width: 80, height: 60 })
})
