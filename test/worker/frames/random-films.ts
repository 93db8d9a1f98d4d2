import fc from 'fast-check'
import type { ResolvedProject } from '../../../core/project/resolved.ts'
import { transitionNames } from '../../../core/timeline/transitions/transitions.ts'
import type { ResolvedVisual } from '../../../core/visuals/resolved.ts'
import { gifOf, imageOf, projectOf, sceneOf, textOf, videoOf } from '../../core/project-of.ts'

/** Random small films, some of which suit each frame source (worker/frames/sources.ts). */

export const filmSize = { width: 160, height: 90 }
const whole = { x: 0, y: 0, ...filmSize }
const seconds = 1.2

/** Media of the films, by what they are. */
export const sources = {
  photos: ['https://example.com/first.png', 'https://example.com/second.png'],
  badge: 'https://example.com/badge.png',
  clip: 'https://example.com/clip.mp4',
  loop: 'https://example.com/loop.gif',
} as const

const style = { fontSize: 18, color: '#ffe9b0', fontWeight: 700 }
/** Elements that Chromium paints. */
export const painted: readonly ResolvedVisual[] = [
  textOf({ html: 'Hello, world', style }),
  textOf({ html: 'Two<br>lines', style: { ...style, color: '#101828' } }),
  {
    ...textOf(),
    type: 'SVG',
    svg: '<svg xmlns="http://www.w3.org/2000/svg" width="60" height="24"><rect width="60" height="24" fill="#c02040"/></svg>',
  },
]

const color = fc.constantFrom('#000000', '#2c5a70', '#f4d35e', '#ffffff')
const animation = fc.constantFrom(...transitionNames)
const photo = fc.constantFrom(...sources.photos).map((src) => imageOf({ src }))
const clip = fc
  .record({ videoBegin: fc.constantFrom(0, 0.31), speed: fc.constantFrom(1, 0.7, 1.9) })
  .map((play) => videoOf({ src: sources.clip, ...play }))
const loop = fc.constant(gifOf({ src: sources.loop }))
const badge = fc.constant(imageOf({ src: sources.badge }))

const place = fc.record({
  x: fc.integer({ min: -20, max: 120 }),
  y: fc.integer({ min: -15, max: 70 }),
})
const box = fc.record({
  width: fc.integer({ min: 12, max: 70 }),
  height: fc.integer({ min: 8, max: 45 }),
})
const look = fc.record({
  opacity: fc.constantFrom(1, 1, 0.6),
  angle: fc.constantFrom(0, 0, 0, 30),
  flipH: fc.constantFrom(false, false, true),
})
const pictureLook = fc.record({
  radius: fc.constantFrom(0, 0, 7).map((px) => ({ tl: px, tr: px, br: px, bl: px })),
  zoomDepth: fc.constantFrom(1, 1, 1.4),
})
/** An entrance or an exit by a transition, or neither. */
const window = fc.oneof(
  fc.constant({}),
  fc.record({ enterAnimation: animation, enterBegin: fc.constantFrom(0, 0.2) }).map((enter) => ({
    ...enter,
    enterEnd: enter.enterBegin + 0.6,
  })),
  animation.map((exitAnimation) => ({ exitAnimation, exitBegin: 0.5, exitEnd: 1.1 })),
)
const still = fc.constant({})

/** A small visual anywhere. */
function small(
  kind: fc.Arbitrary<ResolvedVisual>,
  within: fc.Arbitrary<object> = window,
): fc.Arbitrary<ResolvedVisual> {
  return fc
    .tuple(kind, place, box, look, pictureLook, within)
    .map(([visual, at, size, looks, ofPicture, times]) => {
      const isPicture = visual.type !== 'TEXT' && visual.type !== 'SVG'
      const more = isPicture ? { ...size, ...ofPicture } : {}
      return { ...visual, ...at, ...looks, ...times, ...more } as ResolvedVisual
    })
}

const text = fc.constantFrom(...painted)
const stillKinds = fc.oneof(text, photo, badge)
const anything = small(fc.oneof(text, photo, badge, clip, loop))

const film = (backgroundColor: string, visuals: readonly ResolvedVisual[]): ResolvedProject =>
  projectOf({
    ...{ ...filmSize, frameRate: 20, duration: seconds, backgroundColor },
    visuals: named('visuals', visuals),
  })

function named(list: string, visuals: readonly ResolvedVisual[]): ResolvedVisual[] {
  return visuals.map((visual, i) => ({ ...visual, field: `${list}[${i}]`, track: i }))
}

const someOf = (kind: fc.Arbitrary<ResolvedVisual>, maxLength: number) =>
  fc.array(kind, { maxLength })

/** Parts of the clip: enlarged, and enlarged from pixels that are not even. */
const crops = [
  { x: 20, y: 10, width: 96, height: 64 },
  { x: 21, y: 9, width: 117, height: 71 },
]
const crop = fc.constantFrom({}, {}, ...crops.map((part) => ({ crop: part })))

/** A clip fills the canvas, or a part of it does; above it are no clips. */
const clipBelow = fc
  .tuple(color, clip, crop, someOf(small(stillKinds), 2))
  .map(([ground, bottom, part, above]) => {
    return film(ground, [{ ...bottom, ...part, ...whole }, ...above])
  })

/** Photographs fill the canvas; they zoom or fade. */
const photosBelow = fc
  .tuple(color, photo, photo, someOf(small(stillKinds), 1))
  .map(([ground, first, second, above]) => {
    const zooming = { ...first, ...whole, zoomDepth: 1.5 }
    const fading = { ...second, ...whole, enterAnimation: 'fade', enterBegin: 0.1, enterEnd: 1 }
    return film(ground, [zooming, fading, ...above])
  })

/** One small visual moves above what stands still. */
const onePartMoves = fc
  .tuple(color, someOf(small(stillKinds, still), 2), anything)
  .map(([ground, below, moving]) => film(ground, [...below, moving]))

const mixed = fc
  .tuple(color, fc.array(anything, { minLength: 1, maxLength: 4 }))
  .map(([ground, visuals]) => film(ground, visuals))

/** Two scenes with a transition between them. */
const scenes = fc
  .tuple(animation, color, someOf(anything, 2), color, someOf(anything, 2))
  .map(([transition, firstGround, first, secondGround, second]) => {
    const sceneWith = (i: number, backgroundColor: string, visuals: readonly ResolvedVisual[]) =>
      sceneOf({
        ...{ field: `scenes[${i}]`, id: `scene-${i}`, duration: 1, backgroundColor },
        ...{ transition: i === 0 ? transition : null, transitionDuration: 0.6 },
        visuals: named(`scenes[${i}].visuals`, visuals),
      })
    const both = [sceneWith(0, firstGround, first), sceneWith(1, secondGround, second)]
    return projectOf({ ...filmSize, frameRate: 20, scenes: both })
  })

export const randomFilm = fc.oneof(
  { arbitrary: clipBelow, weight: 3 },
  { arbitrary: photosBelow, weight: 3 },
  { arbitrary: onePartMoves, weight: 3 },
  { arbitrary: mixed, weight: 1 },
  { arbitrary: scenes, weight: 1 },
)
