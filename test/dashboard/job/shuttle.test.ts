import test from 'ava'
import fc from 'fast-check'
import { frameAt, nextRate, snapshotTime, stepTime } from '../../../dashboard/src/player/shuttle.ts'

const films = fc
  .record({
    frames: fc.integer({ min: 1, max: 100_000 }),
    rate: fc.constantFrom(24, 25, 30, 50, 60),
  })
  .map(({ frames, rate }) => ({ frames, seconds: frames / rate }))

test('each press of l or j doubles the speed up to four', (t) => {
  const pressed = (keys: string) => {
    let rate = 0
    return [...keys].map((key) => {
      rate = nextRate(rate, key as 'j' | 'k' | 'l')
      return rate
    })
  }
  t.deepEqual(pressed('llll'), [1, 2, 4, 4])
  t.deepEqual(pressed('jjjj'), [-1, -2, -4, -4])
  t.deepEqual(pressed('lljkkk'), [1, 2, -1, 0, 1, 0])
})

test('a step shows the very next frame, from any time', (t) => {
  fc.assert(
    fc.property(films, fc.double({ min: 0, max: 1, noNaN: true }), (film, share) => {
      const time = share * film.seconds
      const now = frameAt(time, film)
      const most = film.frames - 1
      t.is(frameAt(stepTime(time, { ...film, step: 1 }), film), Math.min(most, now + 1))
      t.is(frameAt(stepTime(time, { ...film, step: -1 }), film), Math.max(0, now - 1))
    }),
  )
})

test('steps forwards and back end at the same frame', (t) => {
  const film = { frames: 900, seconds: 30 }
  let time = 0
  for (let i = 0; i < 300; i += 1) time = stepTime(time, { ...film, step: 1 })
  t.is(frameAt(time, film), 300)
  for (let i = 0; i < 300; i += 1) time = stepTime(time, { ...film, step: -1 })
  t.is(frameAt(time, film), 0)
})

test('a snapshotTime names the frame shown, in whole milliseconds', (t) => {
  t.is(snapshotTime(1 / 30 + 0.01, { frames: 900, seconds: 30 }), 0.034)
  t.is(snapshotTime(0.5, { frames: 50, seconds: 2 }), 0.48)
  fc.assert(
    fc.property(films, fc.double({ min: 0, max: 1, noNaN: true }), (film, share) => {
      const time = share * film.seconds
      const told = snapshotTime(time, film)
      t.is(told, Number(told.toFixed(3)))
      t.is(frameAt(told, film), frameAt(time, film))
    }),
  )
})
