import { writeFile } from 'node:fs/promises'
import test from 'ava'
import { look, scratch } from './clip-look.ts'
import { type GifFrame, gifBy as gifWithout } from './gif-by.ts'

const transparent = 3

const gifBy = (frames: readonly GifFrame[]) =>
  gifWithout(frames.map((frame) => ({ ...frame, clear: transparent })))

test('a GIF’s delays and disposals are honoured', async (t) => {
  const path = await scratch(t)
  const [keep, clear, back] = [1, 2, 3]
  await writeFile(
    path('gif'),
    gifBy([
      { delay: 20, disposal: keep ?? 0, box: [0, 0, 8, 8], color: 0 },
      { delay: 30, disposal: back ?? 0, box: [0, 0, 4, 4], color: 1 },
      { delay: 10, disposal: clear ?? 0, box: [4, 4, 4, 4], color: 2 },
      { delay: 40, disposal: keep ?? 0, box: [0, 4, 4, 4], color: 1 },
    ]),
  )
  const { facts, decode, at } = await look(path('gif'), 'gif')
  t.like(facts, { width: 8, height: 8, frames: 10, hasAlpha: true })
  t.deepEqual(facts.frameRate, [10, 1])
  const names: Record<string, string> = {
    '255,0,0,255': 'r',
    '0,255,0,255': 'g',
    '0,0,255,255': 'b',
  }
  const quarters = (rgba: Buffer) =>
    [
      [0.25, 0.25],
      [0.75, 0.25],
      [0.25, 0.75],
      [0.75, 0.75],
    ]
      .map(
        ([x = 0, y = 0]) => names[at(rgba, x, y).join()] ?? (at(rgba, x, y)[3] === 0 ? '-' : '?'),
      )
      .join('')
  const shown = (await decode([0, 1, 2, 4, 5, 6, 9])).map(quarters)
  // The green quarter goes back to red, the blue one is cleared.
  t.deepEqual(shown, ['rrrr', 'rrrr', 'grrr', 'grrr', 'rrrb', 'rrg-', 'rrg-'])
})

test('a GIF of uneven delays has a slot for each', async (t) => {
  const path = await scratch(t)
  const box = [0, 0, 8, 8] as const
  const delays = [7, 11, 0]
  await writeFile(
    path('gif'),
    gifBy(delays.map((delay, color) => ({ delay, disposal: 1, box, color }))),
  )
  const { facts, decode, at } = await look(path('gif'), 'gif')
  // A delay of 0 lasts a tenth of a second, as in browsers.
  t.like(facts, { frames: 28 })
  t.deepEqual(facts.frameRate, [100, 1])
  const shown = await decode([6, 7, 17, 18, 27])
  t.deepEqual(
    shown.map((rgba) => at(rgba, 0.5, 0.5).indexOf(255)),
    [0, 1, 1, 2, 2],
  )
})

for (const delay of [0, 50]) {
  test(`a GIF of one frame with delay ${delay} shows it for ever`, async (t) => {
    const path = await scratch(t)
    const frame = { delay, disposal: 2, box: [0, 0, 8, 8] as const, color: 1 }
    await writeFile(path('gif'), gifBy([frame]))
    const { facts, decode, at } = await look(path('gif'), 'gif')
    t.true(facts.frames >= 1)
    const shown = await decode([0, facts.frames])
    t.deepEqual(
      shown.map((rgba) => at(rgba, 0.5, 0.5)),
      [0, 1].map(() => [0, 255, 0, 255]),
    )
  })
}

test('a GIF that claims a huge size is refused by its header', async (t) => {
  const path = await scratch(t)
  const huge = gifBy([{ delay: 10, disposal: 1, box: [0, 0, 1, 1], color: 0 }])
  huge.writeUInt16LE(60_000, 6)
  huge.writeUInt16LE(60_000, 8)
  await writeFile(path('gif'), huge)
  await t.throwsAsync(look(path('gif'), 'gif'), { message: /Got 60000 x 60000\.$/ })
})
