import test from 'ava'
import { animationNames } from '../../../core/project/schema/names.ts'
import { transitionNames, transitionOf } from '../../../core/timeline/transitions.ts'
import type { Size } from '../../../core/timeline/transitions-kinds.ts'
import { noiseAt } from '../../../core/timeline/transitions-progress.ts'

const sizes: readonly Size[] = [
  { width: 1, height: 1 },
  { width: 1, height: 40 },
  { width: 2, height: 3 },
  { width: 37, height: 20 },
  { width: 160, height: 90 },
]
const progresses = [0.001, 0.02, 0.25, 0.4, 0.5, 0.6, 0.75, 0.98, 0.999]

const moments = sizes.flatMap((size) => progresses.map((progress) => ({ size, progress })))

test('every animation name of the language can be painted, and no other', (t) => {
  t.deepEqual(transitionNames.toSorted(), animationNames.toSorted())
  t.is(transitionNames.length, 58)
  t.throws(() => transitionOf('toString'), { message: /Got toString$/ })
})

test('pieces fill the box once, and show only pixels that their side has', (t) => {
  for (const name of transitionNames) {
    const transition = transitionOf(name)
    if (transition.kind !== 'pieces') continue
    for (const { size, progress } of moments) {
      const shown = new Uint8Array(size.width * size.height)
      for (const { clip, dx, dy } of transition.pieces(size, progress)) {
        const [left, top, width, height] = clip
        for (let y = top; y < top + height; y++) {
          for (let x = left; x < left + width; x++) {
            shown[y * size.width + x] = (shown[y * size.width + x] ?? 0) + 1
            if (!isInside(x - dx, size.width) || !isInside(y - dy, size.height)) {
              t.fail(`${name} ${progress}: ${x},${y} comes from outside`)
            }
          }
        }
      }
      const { width, height } = size
      t.true(
        shown.every((times) => times === 1),
        `${name} at ${progress} of ${width}x${height}`,
      )
    }
  }
})

test('pixels that come from elsewhere come from inside the box', (t) => {
  for (const name of transitionNames) {
    const transition = transitionOf(name)
    for (const { size, progress } of moments) {
      if (transition.kind === 'blur') {
        const reach = transition.reach(size, progress)
        t.true(reach >= 1 && reach <= size.width, `${name} ${progress}: ${reach}`)
      }
      if (transition.kind !== 'remap') continue
      const { columns = [], rows = [] } = transition.moves(size, progress)
      t.true(
        columns.every((x) => x === -1 || isInside(x, size.width)),
        `${name} ${progress}`,
      )
      t.true(
        rows.every((y) => y === -1 || isInside(y, size.height)),
        `${name} ${progress}`,
      )
    }
  }
})

test('a mask has a number for every pixel, the same along the axis it does not name', (t) => {
  for (const name of transitionNames) {
    const transition = transitionOf(name)
    if (transition.kind !== 'mask') continue
    for (const size of sizes) {
      const valueAt = transition.field(size)
      for (let y = 0; y < size.height; y++) {
        for (let x = 0; x < size.width; x++) {
          const value = valueAt(x, y)
          if (!Number.isFinite(value)) t.fail(`${name} ${x},${y}: ${value}`)
          if (transition.axis === 'x' && value !== valueAt(x, 0)) t.fail(`${name} changes along y`)
          if (transition.axis === 'y' && value !== valueAt(0, y)) t.fail(`${name} changes along x`)
        }
      }
    }
  }
  t.pass()
})

test('weights are shares: none below 0, no more than 1 together', (t) => {
  for (const name of transitionNames) {
    const transition = transitionOf(name)
    for (const progress of progresses) {
      const weights = weightsOf(transition, progress)
      const sum = weights.reduce((all, weight) => all + weight, 0)
      t.true(weights.every((weight) => weight >= 0) && sum <= 1 + 1e-9, `${name} ${progress}`)
    }
  }
})

test('the noise is made of 32-bit numbers', (t) => {
  t.is(noiseAt(0, 0), 0)
  // By C: float r = sinf(x * 12.9898f + y * 78.233f) * 43758.545f; r - floorf(r)
  t.is(noiseAt(1, 0), 0.94140625)
  t.is(noiseAt(319, 179), 0.79296875)
  t.is(noiseAt(3, 2000), 0.8828125)
})

function weightsOf(transition: ReturnType<typeof transitionOf>, progress: number): number[] {
  switch (transition.kind) {
    case 'through':
    case 'greys':
      return Object.values(transition.weights(progress))
    case 'mix':
    case 'remap':
      return [transition.weight(progress)]
    case 'contrast':
      return [Math.max(...[0, 0.5, 1].map((apart) => transition.weight(progress, apart)))]
    default:
      return []
  }
}

function isInside(at: number, length: number): boolean {
  return Number.isInteger(at) && at >= 0 && at < length
}
