import test from 'ava'
import { movingArea } from '../../../core/plan/moving-area.ts'
import type { DrawCommand } from '../../../core/timeline/draw.ts'
import { fill, picture } from '../../worker/paint/commands.ts'

const canvas = { width: 320, height: 180 }
const ground = fill([0, 0, 320, 180], '#102030')
const board = picture('board', canvas)
const badge = (x: number, changes = {}) =>
  picture('badge', { width: 20, height: 10 }, { matrix: [1, 0, 0, 1, x, 51], ...changes })

const areaOf = (frame: (nth: number) => readonly DrawCommand[], frames = 4) =>
  movingArea(
    Array.from({ length: frames }, (_, nth) => ({ commands: frame(nth) })),
    canvas,
  )

test('an even-edged area holds all places of what moves, soft edges included', (t) => {
  t.deepEqual(
    areaOf((nth) => [ground, board, badge(31 + 10 * nth)]),
    [28, 48, 56, 16],
  )
})

test('elements that come, go or fade count as moving', (t) => {
  t.deepEqual(
    areaOf((nth) => [ground, ...(nth > 1 ? [badge(31)] : [])]),
    [28, 48, 26, 16],
  )
  t.deepEqual(
    areaOf((nth) => [ground, badge(31, { opacity: (nth + 1) / 4 }), board]),
    [28, 48, 26, 16],
  )
})

test('still elements above a moving one are not part of it', (t) => {
  t.deepEqual(
    areaOf((nth) => [ground, badge(31 + nth), picture('frame', canvas)]),
    [28, 48, 28, 16],
  )
})

test('there is none for mostly moving canvases, two frames or no movement', (t) => {
  t.is(
    areaOf((nth) => [ground, picture('board', canvas, { opacity: (nth + 1) / 4 })]),
    undefined,
  )
  t.is(
    areaOf((nth) => [ground, badge(31 + nth)], 2),
    undefined,
  )
  t.is(
    areaOf(() => [ground, board]),
    undefined,
  )
})

test('reordered or repeated still elements give no area', (t) => {
  const [below, above] = [picture('one', canvas), picture('other', canvas)]
  t.is(
    areaOf((nth) => [ground, ...(nth % 2 ? [below, above] : [above, below]), badge(nth)]),
    undefined,
  )
  const twice = badge(31, { opacity: 0.5 })
  t.is(
    areaOf((nth) => [ground, twice, ...(nth % 2 ? [twice] : [])]),
    undefined,
  )
})

test('a canvas with an odd edge has none: pixels beyond share colours', (t) => {
  const frames = Array.from({ length: 4 }, (_, nth) => ({ commands: [ground, badge(nth)] }))
  t.is(movingArea(frames, { width: 321, height: 180 }), undefined)
})

test('a crowd may move, but a larger one is not searched', (t) => {
  const crowd = (length: number, nth: number) =>
    Array.from<DrawCommand>({ length }).fill(badge(31 + 10 * nth))
  t.deepEqual(
    areaOf((nth) => [ground, ...crowd(20_000, nth)]),
    [28, 48, 56, 16],
  )
  t.is(
    areaOf((nth) => [ground, ...crowd(50_000, nth)]),
    undefined,
  )
})
