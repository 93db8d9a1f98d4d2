import test from 'ava'
import { bakeOne, bakerFor, factsOf, type PixelAt } from './baking.ts'
import { coded, isInk, momentOf } from './coded.ts'

const baker = bakerFor(test)

/** Moves ten px a frame, at thirty frames a second. */
const frameRate = 30
const duration = 0.4
const rows = ['CSS', 'delayed', 'back', 'web', 'transition', 'later', 'ended'] as const
const markup = `<div class="all">${rows.map(() => '<p></p>').join('')}</div>`
const css = `.all { width: 300px } p { margin: 0; width: 10px; height: 10px; background: #06c }
  @keyframes go { to { transform: translateX(120px) } }
  @keyframes back { to { transform: translateX(60px) } }
  p:nth-child(1) { animation: go 0.4s linear both }
  p:nth-child(2) { animation: go 0.4s linear 0.1s both }
  p:nth-child(3) { animation: back 0.2s linear 2 alternate both }
  p:nth-child(5) { transition: transform 0.4s linear }
  p.there { transform: translateX(120px) }`
const js = `
  const [, , , web, slow, later, ended] = document.querySelectorAll('p')
  const far = [{ transform: 'none' }, { transform: 'translateX(120px)' }]
  web.animate(far, { duration: 400, fill: 'both' }).playbackRate = 2
  const paused = later.animate(far, { duration: 400, fill: 'both' })
  paused.pause()
  setTimeout(() => {
    slow.className = 'there'
    paused.play()
  }, 100)
  ended.animate(far, 200).finished.then(() => { ended.className = 'there' })`

/** Left edge of a row's box, px. */
const leftOf = (at: PixelAt, row: number) => {
  let x = 0
  while (x < 300 && !isInk(at(x, row * 10 + 5))) x++
  return x
}

test('animations and transitions of style sheets and code match their moment', async (t) => {
  const baked = await bakeOne(baker(), coded({ css, js, duration, frameRate }, { markup }))
  t.is(baked.moments?.order.length, 13)
  for (const k of [0, 1, 2, 3, 5, 6, 7, 10, 12]) {
    const at = await momentOf(baked, k)
    const seen = Object.fromEntries(rows.map((name, row) => [name, leftOf(at, row)]))
    const late = Math.max(0, k - 3) * 10
    const expected = {
      CSS: k * 10,
      delayed: late,
      back: (k < 6 ? k : 12 - k) * 10,
      web: Math.min(k * 20, 120),
      transition: late,
      later: late,
      ended: k < 6 ? k * 20 : 120,
    }
    t.deepEqual(seen, expected, `${k}`)
  }
})

test('animated code gives the same pixels on every run', async (t) => {
  const turned = coded(
    {
      css: `@keyframes turn { from { transform: scale(0.3); opacity: 0; filter: blur(4px) } }
        .word { display: inline-block; animation: turn 0.5s both; transition: color 0.3s }
        .red { color: red }`,
      js: `const word = document.querySelector('.word')
        word.animate({ letterSpacing: ['0px', '9px'], rotate: ['0deg', '33deg'] }, 500)
        setTimeout(() => word.classList.add('red'), 77)`,
      duration: 0.5,
      frameRate,
    },
    {},
  )
  const first = factsOf(await bakeOne(baker(), turned))
  for (const _ of [2, 3]) t.deepEqual(factsOf(await bakeOne(baker(), turned)), first)
})
