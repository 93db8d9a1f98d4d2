import test from 'ava'
import fc from 'fast-check'
import { runsOf } from '../../../core/plan/runs.ts'
import { captionAnimations } from '../../../core/project/schema/names.ts'
import { describeFrame } from '../../../core/timeline/frame.ts'
import { nextChangeAfter } from '../../../core/timeline/next-change.ts'
import { makeTimeline } from '../../../core/timeline/timeline.ts'
import type { TimedCaption, TimedElement, Timeline } from '../../../core/timeline/types.ts'
import type { ResolvedVisual } from '../../../core/visuals/resolved.ts'
import { factsOf, gifOf, imageOf, projectOf, sceneOf, textOf, videoOf } from '../project-of.ts'

const seconds = (max: number) =>
  fc.oneof(
    fc.integer({ min: 0, max: max * 20 }).map((n) => n / 20),
    fc.double({ min: 0, max, noNaN: true }),
  )
const animation = fc.constantFrom(null, 'fade', 'slideleft', 'circleopen')

/** Pictures, words and clips that come, go, stand, zoom and play. */
const visual = fc
  .record({
    of: fc.constantFrom<(changes: object) => ResolvedVisual>(imageOf, textOf, videoOf, gifOf),
    begin: seconds(6),
    lengths: fc.tuple(seconds(1), seconds(4), seconds(1)),
    animations: fc.tuple(animation, animation),
    zoomDepth: fc.constantFrom(1, 1, 1.3),
  })
  .map(({ of, begin, lengths: [enter, stay, exit], animations, zoomDepth }) => {
    const [enterAnimation, exitAnimation] = animations
    const enterEnd = begin + enter
    const exitBegin = enterEnd + stay
    const times = { enterBegin: begin, enterEnd, exitBegin, exitEnd: exitBegin + exit }
    const looks = { enterAnimation, exitAnimation, ...(of === textOf ? {} : { zoomDepth }) }
    return of({ ...times, ...looks })
  })

const visuals = fc.array(visual, { maxLength: 4 })

const scene = fc
  .record({ visuals, duration: seconds(3), transition: animation })
  .map(({ duration, ...rest }) => sceneOf({ ...rest, duration: duration + 0.6 }))

const caption = fc
  .record({
    begin: seconds(6),
    length: seconds(2),
    animation: fc.constantFrom(...(captionAnimations as TimedCaption['animation'][])),
  })
  .map(({ begin, length, animation }): TimedCaption => {
    const dest = [10, 10, 60, 10] as const
    const pictureOf = (digest: string) => ({
      pixels: { kind: 'bake' as const, digest: digest.repeat(64) },
      dest,
    })
    const parts = [0, 1].map((word) => {
      const rect = [10 + 30 * word, 10, 30, 10] as const
      const at = begin + (length * word) / 2
      return { begin: at, end: at + length / 2, cells: [{ rect, box: rect }], rightToLeft: false }
    })
    const pictures = { plain: pictureOf('c'), active: pictureOf('d') }
    const moving = { animation, direction: 'up' as const, slidePx: 15 }
    return { begin, end: begin + length, ...moving, ...pictures, parts }
  })

const timeline = fc
  .record({
    visuals,
    scenes: fc.array(scene, { maxLength: 3 }),
    captions: fc.array(caption, { maxLength: 2 }),
    frameRate: fc.constantFrom(7, 10, 24, 30, 60),
    moments: fc.array(fc.integer({ min: 0, max: 1 }), { maxLength: 6 }),
  })
  .map(({ captions, moments, ...project }): Timeline => {
    const duration = project.scenes.length > 0 ? {} : { duration: 7 }
    const film = makeTimeline(projectOf({ ...project, ...duration }), factsOf())
    const elements = film.elements.map((element) =>
      element.play || moments.length === 0 ? element : codedOf(element, moments),
    )
    return { ...film, elements, captions }
  })

/** Moves an element between two places, as custom code would. */
function codedOf(element: TimedElement, order: readonly number[]): TimedElement {
  const { pixels, source, dest } = element
  const [x, y, width, height] = dest
  const shown = [
    { pixels, source, dest },
    { pixels, source, dest: [x + 1, y, width, height] as const },
  ]
  return { ...element, moments: { frameRate: 8, shown, order } }
}

test('a film’s runs are all its described frames, with equal ones joined', (t) => {
  fc.assert(
    fc.property(timeline, (film) => {
      const texts = Array.from({ length: film.frames }, (_, n) =>
        JSON.stringify(describeFrame(film, n).commands),
      )
      const runs = [...runsOf(film, { start: 0, frames: film.frames })]
      t.deepEqual(
        runs.flatMap(({ frames, text }) => Array.from({ length: frames }, () => text)),
        texts,
      )
      t.true(runs.every(({ text }, i) => text !== runs[i - 1]?.text))
    }),
    { numRuns: 200 },
  )
})

test('the end of a still is known up to the next movement', (t) => {
  const times = { enterBegin: 1, enterEnd: 2, exitBegin: 9, exitEnd: 9 }
  const visuals = [imageOf(), imageOf({ ...times, enterAnimation: 'fade' })]
  const standsUntil = nextChangeAfter(makeTimeline(projectOf({ visuals, duration: 9 }), factsOf()))
  t.deepEqual([0, 5, 10, 15, 20, 21, 50].map(standsUntil), [10, 10, 11, 16, 21, 90, 90])
})
