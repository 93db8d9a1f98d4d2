import test from 'ava'
import { colorFilter, fitOf, radiiOf } from '../../../core/looks/picture.ts'
import { stretchWarnings } from '../../../core/looks/stretched.ts'
import type { ResolvedFilter } from '../../../core/visuals/effects.ts'
import type { ResolvedVisual } from '../../../core/visuals/resolved.ts'
import { visualTypeOf } from '../../../core/visuals/visual-types.ts'
import { factsOf, gifOf, imageOf, projectOf, sceneOf, videoOf } from '../project-of.ts'

const plain: ResolvedFilter = {
  ...{ brightness: 0, contrast: 0, saturate: 0, hue: 0, blur: 0, invert: 0, tint: '#ffffff' },
}

test('the factor of saturate is 1+2*value/100 above 0, 1+value/100 below', (t) => {
  const factorOf = (saturate: number) => {
    return colorFilter({ ...plain, saturate }, [0, 0, 10, 10])?.saturate ?? 1
  }
  t.deepEqual([-100, -50, 0, 25, 50, 100].map(factorOf), [0, 0.5, 1, 1.5, 2, 3])
})

test('an IMAGE fills its given box, VIDEO and GIF are stretched', (t) => {
  // The picture and the clips are of 40x20 px; clips are decoded at half of it for this box.
  const box = { width: 10, height: 10 }
  const shown = (visual: ResolvedVisual) => {
    const canvas = projectOf()
    const { source, dest } = visualTypeOf(visual).layout(visual, { canvas, facts: factsOf() })
    return [source, dest]
  }
  t.deepEqual(shown(imageOf(box)), [
    [10, 0, 20, 20],
    [0, 0, 10, 10],
  ])
  for (const clip of [videoOf(box), gifOf(box)]) {
    t.deepEqual(shown(clip), [
      [0, 0, 20, 10],
      [0, 0, 10, 10],
    ])
  }
})

test('resize decides the fit; boxes missing an edge have their picture’s shape', (t) => {
  const box = { width: 10, height: 10 }
  for (const given of ['cover', 'stretch'] as const) {
    t.is(fitOf(box, given), given)
    t.is(fitOf({ ...box, resize: 'contain' }, given), 'contain')
    t.is(fitOf({ width: 10 }, given), 'stretch')
  }
})

test('corners are those of the picture, however it is flipped', (t) => {
  t.deepEqual(radiiOf({ radius: { tl: 1, tr: 2, br: 3, bl: 4 } }), [1, 2, 3, 4])
})

test('a clip stretched by more than 2 % is reported once read', (t) => {
  // Clips of 40x20 px.
  const told = (...visuals: Parameters<typeof videoOf>[0][]) => {
    const scenes = [sceneOf({ visuals: visuals.map((each) => videoOf(each)) })]
    return stretchWarnings(projectOf({ scenes }), factsOf()).map(({ message }) => message)
  }
  t.deepEqual(told({ width: 400, height: 203 }, { width: 80 }, {}), [])
  t.deepEqual(told({ width: 40, height: 40, resize: 'cover' }), [])
  t.deepEqual(told({ width: 100, height: 100 }), [
    'The VIDEO of 40x20 px is stretched to 100x100 px, 100 % taller than the original. Set resize to cover or contain to keep its shape.',
  ])
  t.deepEqual(told({ width: 20, height: 20, crop: { x: 0, y: 0, width: 20, height: 20 } }), [])
  const gif = projectOf({ visuals: [gifOf({ width: 44, height: 20, field: 'visuals[3]' })] })
  const [warning, ...others] = stretchWarnings(gif, factsOf())
  t.like(warning, { field: 'visuals[3]', code: 'stretched' })
  t.is(others.length, 0)
  t.regex(warning?.message ?? '', /^The GIF of 40x20 px is stretched to 44x20 px, 10 % wider/)
  const image = projectOf({ visuals: [imageOf({ width: 100, height: 100 })] })
  t.deepEqual(stretchWarnings(image, factsOf()), [])
})
