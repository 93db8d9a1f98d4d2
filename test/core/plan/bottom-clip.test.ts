import test from 'ava'
import fc from 'fast-check'
import { seenFrom } from '../../../core/plan/area.ts'
import { overClip } from '../../../core/plan/bottom-clip.ts'
import { runsOf } from '../../../core/plan/runs.ts'
import type { ResolvedProject } from '../../../core/project/resolved.ts'
import { makeTimeline } from '../../../core/timeline/timeline.ts'
import type { ResolvedVideo } from '../../../core/visuals/video/resolved.ts'
import { factsOf, imageOf, projectOf, videoOf } from '../project-of.ts'

const size = { width: 64, height: 36 }

function overOf(
  video: Partial<ResolvedVideo>,
  {
    range,
    ...project
  }: Partial<ResolvedProject> & { range?: { start: number; frames: number } } = {},
) {
  const clip = videoOf({ ...size, field: 'visuals[0]', ...video })
  const visuals = [clip, ...(project.visuals ?? [])]
  const timeline = makeTimeline(projectOf({ ...size, duration: 2, ...project, visuals }), factsOf())
  const whole = range ?? { start: 0, frames: timeline.frames }
  return overClip([...runsOf(timeline, whole)], timeline)
}

test('a canvas-filling clip is not painted; what lies above is, within bounds', (t) => {
  t.is(overOf({})?.area, undefined)
  const image = imageOf({ x: 11, y: 7, width: 20, height: 10, track: 1, enterBegin: 1 })
  const over = overOf({}, { visuals: [image] })
  t.deepEqual(over?.area, [8, 4, 26, 16])
  t.deepEqual(
    over?.above.map(({ at, commands }) => [at, commands.length]),
    [
      [0, 0],
      [10, 1],
    ],
  )
  t.is(over?.frames.length, 20)
})

test('a changed clip, or one not filling the canvas, is painted', (t) => {
  const tint = { brightness: 0, contrast: 0, saturate: 0, hue: 0, blur: 0, invert: 0 }
  const cases: Partial<ResolvedVideo>[] = [
    { opacity: 0.9 },
    { angle: 90 },
    { flipH: true },
    { x: 1 },
    { width: 62 },
    { zoomDepth: 1.1 },
    { radius: { tl: 1, tr: 0, br: 0, bl: 0 } },
    { filter: { ...tint, brightness: 10, tint: '#ffffff' } },
    { chromaKey: { color: '#00ff00', similarity: 10, blend: 0 } },
    { exitBegin: 1, exitEnd: 1 },
    { enterEnd: 1, enterAnimation: 'fade' },
  ]
  for (const change of cases) t.is(overOf(change), undefined, JSON.stringify(change))
})

test('a cropped clip is taken at even pixels and enlarged', (t) => {
  // 1920x1080 covers an upright canvas by 607.5 of its columns, from 656.25 on.
  const canvas = { width: 1080, height: 1920 }
  const over = (video: Partial<ResolvedVideo>) => {
    const visuals = [videoOf({ ...canvas, ...video })]
    const facts = factsOf({ video: { width: 1920, height: 1080 } })
    const timeline = makeTimeline(projectOf({ ...canvas, duration: 1, visuals }), facts)
    return overClip([...runsOf(timeline, { start: 0, frames: 1 })], timeline)?.source
  }
  t.deepEqual(over({ resize: 'cover' }), [656, 0, 608, 1080])
  t.is(over({ crop: { x: 1001, y: 3, width: 41, height: 1077 } }), undefined, 'a narrow part')
  t.is(over({ resize: 'cover', width: 1000 }), undefined)
  fc.assert(
    fc.property(part(1920), part(1080), ([x, width], [y, height]) => {
      const source = over({ crop: { x, y, width, height } }) ?? []
      t.true(source.every((px) => px % 2 === 0 && px >= 0))
      const [left = 0, top = 0, wide = 0, high = 0] = source
      t.true(left + wide <= 1920 && top + high <= 1080)
      const moved = [left - x, top - y, left + wide - x - width, top + high - y - height]
      t.true(
        moved.every((px) => Math.abs(px) <= 2),
        String(moved),
      )
    }),
  )
})

/** A part of at least 64 px of `length`. */
const part = (length: number) =>
  fc.integer({ min: 0, max: length - 64 }).chain((at) => {
    return fc.tuple(fc.constant(at), fc.integer({ min: 64, max: length - at }))
  })

test('only the given frames count; an odd canvas is painted', (t) => {
  const leaves = { exitBegin: 1, exitEnd: 1 }
  t.truthy(overOf(leaves, { range: { start: 0, frames: 10 } }))
  t.is(overOf({ width: 63 }, { width: 63 }), undefined)
  const second = videoOf({ field: 'visuals[1]', width: 10, height: 6, track: 1 })
  t.is(overOf({}, { visuals: [second] }), undefined)
})

test('layers above keep their look on a smaller surface', (t) => {
  const above = overOf(
    {},
    { visuals: [imageOf({ track: 1 }), imageOf({ x: 10, y: 4, angle: 30, track: 2 })] },
  )
  const commands = above?.above[0]?.commands ?? []
  t.true(commands.length > 0)
  t.deepEqual(seenFrom(seenFrom(commands, [6, 2, 0, 0]), [-6, -2, 0, 0]), [...commands])
})
