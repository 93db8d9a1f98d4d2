import test from 'ava'
import { createPace } from '../../cli/render/pace.ts'
import { paceText, timeText } from '../../cli/render/progress.ts'
import { summary } from '../../cli/render/summary.ts'

test('the pace averages from the first count, and tells the time left', (t) => {
  const pace = createPace()
  t.deepEqual(pace({ total: 0, done: 0, reused: 0 }, 0), {})
  t.deepEqual(pace({ total: 300, done: 0, reused: 0 }, 1_000), {})
  t.deepEqual(pace({ total: 300, done: 100, reused: 0 }, 6_000), { rate: 20, secondsLeft: 10 })
})

test('frames out of the store do not make the pace look faster', (t) => {
  const pace = createPace()
  pace({ total: 300, done: 200, reused: 200 }, 0)
  t.deepEqual(pace({ total: 300, done: 250, reused: 200 }, 5_000), { rate: 10, secondsLeft: 5 })
})

test('no pace is shown before there is something to measure', (t) => {
  const pace = createPace()
  pace({ total: 300, done: 0, reused: 0 }, 0)
  t.deepEqual(pace({ total: 300, done: 40, reused: 0 }, 300), {})
  t.deepEqual(pace({ total: 300, done: 2, reused: 0 }, 9_000), {})
})

test('a line of progress has frames, frames a second and time left', (t) => {
  const frames = { total: 300, done: 100 }
  t.is(paceText(frames, { rate: 20, secondsLeft: 10 }), '100/300 frames, 20.0 frames/s, 10 s left')
  t.is(paceText(frames, {}), '100/300 frames')
  t.is(paceText({ total: 0, done: 0 }, {}), '')
  t.is(timeText(125), '2 min 5 s')
})

test('the summary has path, length, size, time and how to open it', (t) => {
  const text = summary({
    output: 'out/my film.mp4',
    duration: 12,
    size: 1_234_567,
    width: 1280,
    height: 720,
    frames: { total: 360, reused: 249 },
    seconds: 9.84,
    warnings: [],
    startSeconds: 4.4,
  })
  t.true(text.includes('out/my film.mp4\n  12.00 s, 1280x720, 1.2 MB'))
  t.true(text.includes('rendered in 9.8 s, including 4.4 s to start the farm'))
  t.true(text.includes('249 of 360 frames needed no rendering'))
  t.regex(text, /open it: (xdg-)?open 'out\/my film\.mp4'/)
})
