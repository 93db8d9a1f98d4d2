import test from 'ava'
import { bakeOne, bakerFor } from './baking.ts'
import { coded, isInk, momentOf } from './coded.ts'

const baker = bakerFor(test)

/** Each first changes something at the frame of that number, at ten a second, and then rests. */
const changes: [what: string, js: string, css: string][] = [
  ['a timer', 'setTimeout(() => { word.textContent = "another" }, 400)', ''],
  [
    'an animation by steps',
    '',
    '@keyframes m { to { margin-left: 40px } } .word { display: block; animation: m .78s steps(2) both }',
  ],
  [
    'a layer that jumps',
    '',
    '@keyframes m { to { transform: translateX(40px) } } .word { display: block; animation: m .78s steps(2) both }',
  ],
  [
    'opacity',
    '',
    '@keyframes m { 0%, 49% { opacity: 1 } 50%, 100% { opacity: .2 } } .word { animation: m .8s both }',
  ],
  [
    'a frame of its own',
    'let n = 0; const f = () => { if (++n === 5) word.style.color = "blue"; requestAnimationFrame(f) }; requestAnimationFrame(f)',
    '',
  ],
]

for (const [what, js, css] of changes) {
  test(`frames between changes of ${what} repeat the picture before`, async (t) => {
    const code = { js: `const word = document.querySelector('.word'); ${js}`, css, duration: 0.7 }
    const { moments } = await bakeOne(baker(), coded(code))
    t.deepEqual(moments?.order, [0, 0, 0, 0, 1, 1, 1, 1])
  })
}

test('a canvas that is drawn now and then is seen each time', async (t) => {
  const js = `const pen = document.querySelector('canvas').getContext('2d'); let n = 0
    const draw = () => { if (n % 3 === 0) pen.fillRect(0, n * 10, 9, 9); n += 1; requestAnimationFrame(draw) }
    requestAnimationFrame(draw)`
  const markup = '<canvas width="50" height="90"></canvas>'
  const baked = await bakeOne(baker(), coded({ js, duration: 0.7 }, { markup }))
  t.deepEqual(baked.moments?.order, [0, 0, 0, 1, 1, 1, 2, 2])
  const last = await momentOf(baked, 7)
  t.deepEqual(
    [4, 34, 64].map((y) => isInk(last(4, y))),
    [true, true, true],
  )
})

test('an element that moves, rests and moves keeps its place in time', async (t) => {
  const steps = [0, 1, 2, 3, 4, 5, 5, 5, 5, 6, 7, 8, 9]
  const js = `const word = document.querySelector('.word'); const steps = ${JSON.stringify(steps)}
    const move = () => { word.style.marginLeft = steps.shift() * 20 + 'px'; requestAnimationFrame(move) }
    requestAnimationFrame(move)`
  const markup = '<i class="word"></i>'
  const css = '.word { display: block; width: 20px; height: 20px; background: red }'
  const baked = await bakeOne(baker(), coded({ js, css, duration: 1.2 }, { markup }))
  t.deepEqual(baked.moments?.order, steps)
  const pixels = await Promise.all(steps.map((_, k) => momentOf(baked, k)))
  t.deepEqual(
    pixels.map((at) => steps.map((step) => isInk(at(step * 20 + 10, 10)))),
    steps.map((here) => steps.map((step) => step === here)),
  )
})

test('a still of what rests is its one moment', async (t) => {
  const { moments } = await bakeOne(baker(), coded({ duration: 1, lastOnly: true }))
  t.deepEqual(moments?.order, [0])
})
