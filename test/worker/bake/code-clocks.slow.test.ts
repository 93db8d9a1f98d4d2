import test from 'ava'
import type { BakedPicture } from '../../../worker/bake/paint.ts'
import { bakeOne, bakerFor, factsOf, svg } from './baking.ts'
import { coded, isInk, momentOf, place } from './coded.ts'

const baker = bakerFor(test)

/** Right end of a row's ink, px. */
const reach = (at: (x: number, y: number) => number[], y: number) => {
  let x = 0
  while (x < 400 && isInk(at(x, y))) x++
  return x
}

/** One bar a clock, ten px high, as wide as its milliseconds by ten. */
const bars = ['rAF', 'rAF time', 'performance', 'Date', 'timeout', 'interval', 'WAAPI', 'CSS']
const markup = `<div class="all">${bars.map(() => '<p></p>').join('')}</div>`
const css = `.all { width: 300px } p { margin: 0; height: 10px; width: 0; background: #06c }
  @keyframes grow { to { width: 100px } }
  p:nth-child(8) { animation: grow 1s linear both }`
const js = `
  const [frames, stamp, page, day, once, every, web] = document.querySelectorAll('p')
  const wide = (bar, px) => { bar.style.width = px + 'px' }
  let n = 0
  const began = Date.now()
  requestAnimationFrame(function draw(time) {
    wide(frames, n++); wide(stamp, time / 10); wide(page, performance.now() / 10)
    wide(day, (Date.now() - began) / 10)
    requestAnimationFrame(draw)
  })
  setTimeout(() => wide(once, 50), 500)
  let ticks = 0
  setInterval(() => wide(every, ++ticks * 10), 100)
  web.animate([{ width: '0px' }, { width: '100px' }], { duration: 1000, fill: 'both' })`

test('every clock of the page tells the time of the moment', async (t) => {
  const document = coded({ css, js, duration: 1, frameRate: 10 }, { markup })
  const baked = await bakeOne(baker(), document)
  t.is(baked.moments?.order.length, 11)
  for (const k of [0, 1, 4, 5, 9, 10]) {
    const at = await momentOf(baked, k)
    const seen = Object.fromEntries(bars.map((name, row) => [name, reach(at, row * 10 + 5)]))
    const all = k * 10
    const expected = { 'rAF time': all, performance: all, Date: all, WAAPI: all, CSS: all }
    t.deepEqual(seen, { rAF: k, ...expected, timeout: k < 5 ? 0 : 50, interval: all }, `${k}`)
  }
  t.deepEqual(factsOf(await bakeOne(baker(), document)), factsOf(baked))
})

test('only visible frames are painted; a still has one', async (t) => {
  const code = { css, js, duration: 1, frameRate: 10 }
  const short = await bakeOne(baker(), coded({ ...code, until: 0.25 }, { markup }))
  t.is(short.moments?.order.length, 4)
  t.is(reach(await momentOf(short, 3), 15), 25)
  const still = await bakeOne(baker(), coded({ ...code, until: 0.7, lastOnly: true }, { markup }))
  t.deepEqual(still.moments?.order, [0])
  const at = await momentOf(still, 0)
  t.deepEqual([reach(at, 5), reach(at, 15), reach(at, 75)], [7, 70, 70])
})

test('an element from anywhere is painted where the canvas shows it', async (t) => {
  const css =
    '@keyframes fly { from { transform: translateX(-300px) } } .word { display: block; width: 100px; height: 20px; background: #00f; color: transparent; animation: fly 1s linear both }'
  const fly = (more: object) =>
    bakeOne(baker(), coded({ css, duration: 1, frameRate: 2, place: { ...place, ...more } }))
  const inks = async (baked: Promise<BakedPicture>) =>
    (await baked).moments?.pictures.map(({ inkX, inkWidth }) => [inkX, inkWidth])
  // The canvas has 150 px to the left of it.
  t.deepEqual(await inks(fly({ x: 150 })), [
    [0, 1],
    [-150, 100],
    [0, 100],
  ])
  t.deepEqual(await inks(fly({ x: 400 })), [
    [-300, 100],
    [-150, 100],
    [0, 100],
  ])
  // Turned by 180°, the left of the canvas is its right.
  t.deepEqual(await inks(fly({ x: 150, angle: 180 })), [
    [-300, 100],
    [-150, 100],
    [0, 100],
  ])
})

test('an SVG is moved by style sheets and by script', async (t) => {
  const markup =
    '<svg viewBox="0 0 100 20" width="100" height="20"><rect id="a" width="10" height="10"/><rect id="b" y="10" width="10" height="10"/></svg>'
  const code = {
    css: '@keyframes go { to { transform: translateX(90px) } } #a { animation: go 1s linear both }',
    js: 'const b = document.getElementById("b"); requestAnimationFrame(function f(t) { b.setAttribute("width", 10 + t / 10); requestAnimationFrame(f) })',
    ...{ duration: 1, until: 1, frameRate: 2, place },
  }
  const canvas = { width: 640, height: 480 }
  const baked = await bakeOne(baker(), svg(markup, { canvas, code }))
  const at = await momentOf(baked, 1)
  t.deepEqual(
    [isInk(at(40, 5)), isInk(at(50, 5)), isInk(at(58, 15)), isInk(at(62, 15))],
    [...[false, true, true, false]],
  )
})
