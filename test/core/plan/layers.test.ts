import test from 'ava'
import { type Layer, layersOfRuns } from '../../../core/plan/layers.ts'
import { runsOf } from '../../../core/plan/runs.ts'
import type { ResolvedProject } from '../../../core/project/resolved.ts'
import { makeTimeline } from '../../../core/timeline/timeline.ts'
import type { ResolvedImage } from '../../../core/visuals/image/resolved.ts'
import { factsOf, imageOf, projectOf, sceneOf } from '../project-of.ts'

const size = { width: 64, height: 36 }
const zooms = { ...size, resize: 'cover', zoomDepth: 1.2 } as const

function layersOf(project: Partial<ResolvedProject>): (readonly Layer[])[] | undefined {
  const timeline = makeTimeline(projectOf({ ...size, duration: 2, ...project }), factsOf())
  return layersOfRuns([...runsOf(timeline, { start: 0, frames: timeline.frames })], timeline)
}

const photo = (changes: Partial<ResolvedImage> = {}) => imageOf({ ...zooms, ...changes })

const kindsOf = (layers: readonly Layer[] = []) =>
  layers.map((layer) => (layer.kind === 'photo' ? `photo ${layer.weight}` : layer.kind))

test('a photograph zooming over the canvas is one layer, pictures above another', (t) => {
  const badge = imageOf({ x: 11, y: 7, width: 20, height: 10, track: 1 })
  const layers = layersOf({ visuals: [photo(), badge] })
  t.is(layers?.length, 20)
  t.deepEqual(kindsOf(layers?.[3]), ['photo 255', 'above'])
  const above = layers?.[3]?.[1]
  t.deepEqual(above?.kind === 'above' && above.area, [0, 4, 64, 16])
})

test('one that fades in over another is a layer of its weight', (t) => {
  const second = photo({ track: 1, enterBegin: 0, enterEnd: 2, enterAnimation: 'fade' })
  const layers = layersOf({ visuals: [photo(), second] })
  t.deepEqual(kindsOf(layers?.[10]), ['photo 255', 'photo 128'])
})

test('fading scenes of photographs are mixed, each with what lies above it', (t) => {
  const badge = imageOf({ x: 11, y: 7, width: 20, height: 10, track: 1 })
  const scenes = [
    sceneOf({
      id: 'a',
      duration: 2,
      transition: 'fade',
      transitionDuration: 1,
      visuals: [photo()],
    }),
    sceneOf({ id: 'b', duration: 2, visuals: [photo(), badge] }),
  ]
  const layers = layersOf({ scenes })?.[15] ?? []
  t.deepEqual(kindsOf(layers), ['photo 255', 'mix'])
  const mix = layers[1]
  t.deepEqual(mix?.kind === 'mix' && [kindsOf(mix.layers), mix.weight], [
    ['photo 255', 'above'],
    128,
  ])
})

test('pictures that do not simply cover the canvas are painted', (t) => {
  const cases: [string, Partial<ResolvedImage>][] = [
    ['smaller', { width: 62 }],
    ['turned', { angle: 10 }],
    ['flipped', { flipH: true }],
    ['clear', { opacity: 0.9 }],
    ['round', { radius: { tl: 3, tr: 0, br: 0, bl: 0 } }],
    ['gone', { exitBegin: 1, exitEnd: 1 }],
    ['still', { zoomDepth: 1 }],
    ['keyed', { chromaKey: { color: '#00ff00', similarity: 10, blend: 0 } }],
  ]
  for (const [what, change] of cases) {
    t.is(layersOf({ visuals: [photo(change)] }), undefined, what)
  }
  t.is(layersOf({ width: 63, visuals: [photo({ width: 63 })] }), undefined, 'an odd canvas')
})
