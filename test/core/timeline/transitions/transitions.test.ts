import test from 'ava'
import { animationNames } from '../../../../core/project/schema/names.ts'
import type { Size } from '../../../../core/timeline/rect.ts'
import { nowhere } from '../../../../core/timeline/transitions/kinds.ts'
import { noiseAt } from '../../../../core/timeline/transitions/progress.ts'
import { transitionNames, transitionOf } from '../../../../core/timeline/transitions/transitions.ts'

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

test('pieces fill the box once and show only their side’s pixels', (t) => {
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

const noPadding = { left: 0, top: 0, right: 0, bottom: 0 }

test('pixels that come from elsewhere come from inside of what is seen', (t) => {
  for (const name of transitionNames) {
    const transition = transitionOf(name)
    for (const { size, progress } of moments) {
      if (transition.kind === 'blur') {
        const reach = transition.reach(size, progress)
        t.true(reach >= 1 && reach <= size.width, `${name} ${progress}: ${reach}`)
      }
      if (transition.kind !== 'remap') continue
      for (const padding of [noPadding, { left: 9, top: 4, right: 2, bottom: 7 }]) {
        const { left, top, right, bottom } = padding
        const { columns, rows } = transition.moves(size, progress, padding)
        for (let x = -left; x < size.width + right; x++) {
          const from = columns?.(x) ?? x
          const isSeen = from === nowhere || isInside(from + left, left + size.width + right)
          if (!isSeen) t.fail(`${name} ${progress}: column ${x} comes from ${from}`)
        }
        for (let y = -top; y < size.height + bottom; y++) {
          const from = rows?.(y) ?? y
          const isSeen = from === nowhere || isInside(from + top, top + size.height + bottom)
          if (!isSeen) t.fail(`${name} ${progress}: row ${y} comes from ${from}`)
        }
      }
      t.pass()
    }
  }
})

test('a mask has a number for each pixel, constant along one axis', (t) => {
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

test('around the box a mask opens neither earlier nor later than inside', (t) => {
  const room = 30
  for (const name of transitionNames) {
    const transition = transitionOf(name)
    // The angle around the middle and the noise of a pixel do not depend on the region.
    if (transition.kind !== 'mask' || name === 'radial' || name === 'dissolve') continue
    for (const size of sizes) {
      const valueAt = transition.field(size)
      let [least, most] = [Infinity, -Infinity]
      for (let y = 0; y < size.height; y++) {
        for (let x = 0; x < size.width; x++) {
          least = Math.min(least, valueAt(x, y))
          most = Math.max(most, valueAt(x, y))
        }
      }
      // Each line of a wind has a lead of its own, up to one.
      const slack = name.endsWith('wind') ? 1 : 1 / Math.min(size.width, size.height)
      for (let y = -room; y < size.height + room; y++) {
        for (let x = -room; x < size.width + room; x++) {
          const value = valueAt(x, y)
          const isLike = value >= least - slack && value <= most + slack
          if (!isLike) t.fail(`${name} ${size.width}x${size.height} ${x},${y}: ${value}`)
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
  // Computed in C: float r = sinf(x * 12.9898f + y * 78.233f) * 43758.545f; r - floorf(r)
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
