import test, { type ExecutionContext } from 'ava'
import { type Shot, studioFor } from './studio.ts'

const shoot = studioFor(test)
const size = { width: 480, height: 200, duration: 2, frameRate: 30, backgroundColor: '#000000' }
const white = ([r = 0, g = 0, b = 0]: number[]) => r > 200 && g > 200 && b > 200
const yellow = ([r = 0, g = 0, b = 0]: number[]) => r > 200 && g > 200 && b < 60

/** The columns from the first to the last with a matching pixel; undefined without one. */
function span({ width, height, at }: Shot, is: (pixel: number[]) => boolean) {
  const columns = Array.from({ length: width }, (_, x) => x).filter((x) =>
    Array.from({ length: height }, (_, y) => y).some((y) => is(at(x, y))),
  )
  const [first] = columns
  return first === undefined ? undefined : { from: first, to: columns.at(-1) ?? first }
}

/** Frame `frame` of two words, half a second each; the first of them is active until frame 15. */
const captioned = (subtitle: object, frame: number, text = 'HELLO WORLD') => {
  const captions = [{ start: 0, end: 1, text }]
  const look = { position: 'center', font: { size: 50, bold: true }, ...subtitle }
  return shoot({ frame, payload: { ...size, subtitle: { captions, ...look } } })
}

async function spans(subtitle: object, frame: number, text?: string) {
  const shot = await captioned(subtitle, frame, text)
  return { white: span(shot, white), yellow: span(shot, yellow) }
}

const middle = size.width / 2

function isLeft(t: ExecutionContext, seen: ReturnType<typeof span>) {
  t.truthy(seen)
  t.true(seen !== undefined && seen.to < middle, JSON.stringify(seen))
}

function isRight(t: ExecutionContext, seen: ReturnType<typeof span>) {
  t.truthy(seen)
  t.true(seen !== undefined && seen.from > middle - 30, JSON.stringify(seen))
}

for (const animation of ['normal', 'none']) {
  test(`${animation}: the whole line, centred`, async (t) => {
    const { white: seen, yellow: none } = await spans({ animation }, 0)
    t.true(seen !== undefined && Math.abs(seen.from + seen.to - size.width) < 8)
    t.is(none, undefined)
  })
}

for (const animation of ['karaoke', 'pop', 'bounce']) {
  test(`${animation}: the active word alone has its colour`, async (t) => {
    const first = await spans({ animation }, 7)
    isLeft(t, first.yellow)
    isRight(t, first.white)
    const second = await spans({ animation }, 22)
    isLeft(t, second.white)
    isRight(t, second.yellow)
  })
}

test('a word that pops is larger than one that is restyled', async (t) => {
  const widthOf = async (animation: string) => {
    const { yellow: seen } = await spans({ animation }, 0)
    return seen ? seen.to - seen.from : 0
  }
  const [plain, popped] = [await widthOf('karaoke'), await widthOf('pop')]
  t.true(Math.abs(popped / plain - 1.3) < 0.05, `${popped} / ${plain}`)
})

for (const animation of ['progressive', 'typewriter', 'fade']) {
  test(`${animation}: what is to come is hidden, what was stays`, async (t) => {
    const first = await spans({ animation }, 13)
    isLeft(t, first.white)
    const all = await spans({ animation }, 29)
    t.true(all.white !== undefined && all.white.to > middle + 50)
    t.true(all.white !== undefined && first.white !== undefined)
    t.is(all.white?.from, first.white?.from)
  })
}

test('typewriter: letters come one by one', async (t) => {
  const ends = []
  for (const frame of [0, 4, 7, 10, 13, 18]) {
    ends.push((await spans({ animation: 'typewriter' }, frame)).white?.to ?? 0)
  }
  t.deepEqual(
    ends,
    [...new Set(ends)].sort((a, b) => a - b),
  )
})

test('one-word: each alone, in the middle', async (t) => {
  for (const frame of [2, 20]) {
    const { white: seen } = await spans({ animation: 'one-word' }, frame)
    t.true(seen !== undefined && Math.abs(seen.from + seen.to - size.width) < 10)
    t.true(seen !== undefined && seen.to - seen.from < 220)
  }
})

test('fill: swept left to right, and right to left where read so', async (t) => {
  const latin = await spans({ animation: 'fill' }, 20)
  t.true((latin.yellow?.from ?? 0) < (latin.white?.from ?? 0))
  t.true((latin.yellow?.to ?? 0) > middle)
  t.true(Math.abs((latin.yellow?.to ?? 0) - (latin.white?.from ?? 0)) < 15)
  const arabic = await spans({ animation: 'fill' }, 20, 'مرحبا بالعالم')
  t.true((arabic.yellow?.to ?? 0) > (arabic.white?.to ?? 0))
  t.true((arabic.yellow?.from ?? 0) < middle)
  // A right-to-left word is filled in its reading direction.
  const mixed = await captioned({ animation: 'fill' }, 24, 'مرحبا HELLO')
  const foreign = { from: span(mixed, yellow)?.from ?? 0, to: span(mixed, white)?.from ?? 0 }
  t.true(foreign.from < foreign.to, JSON.stringify(foreign))
})

test('slide: in from below, half as high above when it stands', async (t) => {
  const rowOf = async (frame: number) => {
    const { at, height } = await captioned({ animation: 'slide' }, frame)
    const lit = ([r = 0]: number[]) => r > 30
    const rows = Array.from({ length: height }, (_, y) => y)
    return rows.find((y) => Array.from({ length: 480 }, (_, x) => x).some((x) => lit(at(x, y))))
  }
  const [moving, standing, later] = [await rowOf(3), await rowOf(9), await rowOf(20)]
  t.true((moving ?? 0) > (standing ?? 0) + 10, `${moving} ${standing}`)
  t.is(standing, later)
})

test('highlight: a box behind the active word alone, in its colour', async (t) => {
  const blue = ([r = 0, , b = 0]: number[]) => b > 200 && r < 60
  const look = { animation: 'highlight', activeWord: { background: '#0000ff', color: '#ffff00' } }
  const shot = await captioned(look, 7)
  isLeft(t, span(shot, blue))
  isLeft(t, span(shot, yellow))
  isRight(t, span(shot, white))
})

test('background: a plate of its opacity around all words; stroke: edged letters', async (t) => {
  const background = { color: '#ff0000', opacity: 0.5, padding: 20, radius: 0 }
  const shot = await captioned({ background, stroke: { color: '#00ff00', width: 3 } }, 0)
  const plate = span(shot, ([r = 0, g = 0]) => r > 120 && r < 135 && g === 0)
  const words = span(shot, white)
  const edge = span(shot, ([r = 0, g = 0, b = 0]) => g > 220 && r < 40 && b < 40)
  t.true(plate !== undefined && words !== undefined && edge !== undefined)
  t.true((edge?.from ?? 0) >= (words?.from ?? 0) - 4 && (edge?.from ?? 0) < (words?.from ?? 0))
  t.true(Math.abs((words?.from ?? 0) - (plate?.from ?? 0) - 20) < 8)
})
