import test from 'ava'
import fc from 'fast-check'
import { FarmError } from '../../../core/errors.ts'
import { makePlan } from '../../../core/plan/make-plan.ts'
import type { ResolvedProject } from '../../../core/project/resolved.ts'
import type { DrawCommand, PictureCommand } from '../../../core/timeline/draw.ts'
import { mediaKey } from '../../../core/timeline/facts.ts'
import { describeFrame } from '../../../core/timeline/frame.ts'
import { makeTimeline } from '../../../core/timeline/timeline.ts'
import {
  factsOf,
  gifOf,
  imageOf,
  imageSrc,
  projectOf,
  sceneOf,
  videoOf,
  videoSrc,
} from '../project-of.ts'

/** The clip of `factsOf` lasts 3 s at 30 frames a second, the GIF 1.2 s at 10. */
function pictureAt(project: Partial<ResolvedProject>, n: number, facts = factsOf()) {
  const { commands } = describeFrame(makeTimeline(projectOf(project), facts), n)
  return commands.find((command): command is PictureCommand => command.op === 'picture')
}

const framesOf = (project: Partial<ResolvedProject>, count: number, facts = factsOf()) =>
  Array.from({ length: count }, (_, n) => {
    const pixels = pictureAt(project, n, facts)?.pixels
    return pixels?.kind === 'clip' ? pixels.frame : undefined
  })

const steps = (count: number, of: (i: number) => number) =>
  Array.from({ length: count }, (_, i) => of(i))

test('a clip at the film’s rate shows each frame, then holds', (t) => {
  const project = { frameRate: 30, visuals: [videoOf()] }
  t.deepEqual(
    framesOf(project, 100),
    steps(100, (n) => Math.min(n, 89)),
  )
})

test('a film of another rate shows the clip’s frame at each moment', (t) => {
  const twice = framesOf({ frameRate: 60, visuals: [videoOf()] }, 10)
  t.deepEqual(twice, [0, 0, 1, 1, 2, 2, 3, 3, 4, 4])
  t.deepEqual(framesOf({ frameRate: 10, visuals: [videoOf()] }, 4), [0, 3, 6, 9])
})

test('trims, speed and the clip’s rate decide the shown frame', (t) => {
  const at = (changes: Parameters<typeof videoOf>[0], count = 6) =>
    framesOf({ frameRate: 30, visuals: [videoOf(changes)] }, count)
  t.deepEqual(at({ videoBegin: 1 }), [30, 31, 32, 33, 34, 35])
  t.deepEqual(at({ videoBegin: 1, videoEnd: 1.1 }), [30, 31, 32, 32, 32, 32])
  t.deepEqual(at({ videoBegin: 1, videoDuration: 0.1 }), [30, 31, 32, 32, 32, 32])
  t.deepEqual(at({ videoBegin: 1, videoEnd: 1 }), [30, 30, 30, 30, 30, 30])
  t.deepEqual(at({ speed: 2 }), [0, 2, 4, 6, 8, 10])
  t.deepEqual(at({ speed: 0.5 }), [0, 0, 1, 1, 2, 2])
  t.deepEqual(at({ speed: 10 }, 11).slice(7), [70, 80, 89, 89])
  t.deepEqual(at({ speed: 0.1 }, 21).slice(9), [0, ...Array(10).fill(1), 2])
  t.deepEqual(at({ videoEnd: 100 }, 92).slice(88), [88, 89, 89, 89])
  t.deepEqual(at({ frameRate: 10 }), [0, 0, 0, 3, 3, 3])
  t.deepEqual(at({ frameRate: 60 }), [0, 1, 2, 3, 4, 5])
  const late = [undefined, undefined, undefined, 0, 1, 2]
  t.deepEqual(at({ enterBegin: 0.1, enterEnd: 0.1 }), late)
})

test('a clip beginning beyond its source names its field and both times', (t) => {
  const visuals = [videoOf({ field: 'scenes[1].visuals[0]', videoBegin: 3 })]
  const error = t.throws(() => makeTimeline(projectOf({ visuals }), factsOf()), {
    instanceOf: FarmError,
  })
  t.is(error.code, 'element_invalid')
  t.is(error.field, 'scenes[1].visuals[0].videoBegin')
  t.is(error.message, 'videoBegin must lie within the clip. Got 3, but the clip is 3 s long.')
})

test('no broadcast-rate frame is skipped or early, however long the film', (t) => {
  const facts = factsOf()
  const known = facts.media.get(mediaKey({ expect: 'video', url: videoSrc }))
  if (known?.facts.kind !== 'video') return t.fail()
  const clip = { ...known.facts, frameRate: [30_000, 1001] as [number, number], frames: 200_000 }
  const media = new Map([[mediaKey({ expect: 'video', url: videoSrc }), { ...known, facts: clip }]])
  const project = projectOf({ frameRate: 30, duration: 3600, visuals: [videoOf()] })
  const timeline = makeTimeline(project, { ...facts, media })
  for (const n of [0, 1, 1000, 1001, 30_029, 30_030, 30_031, 100_100]) {
    const [, command] = describeFrame(timeline, n).commands
    const pixels = command?.op === 'picture' ? command.pixels : undefined
    t.is(pixels?.kind === 'clip' ? pixels.frame : -1, Math.floor((n * 1000) / 1001))
  }
})

test('a GIF loops over its window', (t) => {
  const frames = framesOf({ frameRate: 10, duration: 3, visuals: [gifOf()] }, 30)
  t.deepEqual(
    frames,
    steps(30, (n) => n % 12),
  )
})

test('clip frames ascend, stay within the trim and ignore the position', (t) => {
  const decimal = (min: number, max: number) =>
    fc.integer({ min: min * 1000, max: max * 1000 }).map((thousandths) => thousandths / 1000)
  fc.assert(
    fc.property(
      decimal(0, 2.9),
      decimal(0, 3),
      decimal(0.1, 10),
      fc.integer({ min: 1, max: 60 }),
      fc.integer({ min: 0, max: 90 }),
      (videoBegin, length, speed, frameRate, late) => {
        const trim = { videoBegin, videoEnd: videoBegin + length, speed }
        const frames = framesOf({ frameRate, duration: 100, visuals: [videoOf(trim)] }, 20)
        const first = Math.floor(videoBegin * 30 + 1e-6)
        t.is(frames[0], first)
        const last = Math.max(first, Math.min(89, Math.ceil((videoBegin + length) * 30 - 1e-6) - 1))
        frames.reduce((before = first, frame = -1) => {
          t.true(frame >= before && frame <= last, `${frames}`)
          return frame
        }, first)
        const begin = late / frameRate
        const moved = videoOf({ ...trim, enterBegin: begin, enterEnd: begin })
        const shown = framesOf({ frameRate, duration: 200, visuals: [moved] }, late + 20)
        t.deepEqual(shown.slice(late), frames)
      },
    ),
  )
})

test('a VIDEO and a GIF are laid out like an IMAGE', (t) => {
  const shared = {
    ...{
      x: 5,
      y: 6,
      width: 60,
      height: 40,
      resize: 'cover' as const,
      angle: 30,
      flipH: true,
      opacity: 0.5,
    },
    crop: { x: 4, y: 2, width: 20, height: 10 },
    filter: {
      brightness: 10,
      contrast: 0,
      saturate: 0,
      hue: 0,
      blur: 5,
      invert: 0,
      tint: '#ffffff',
    },
    radius: { tl: 5, tr: 0, br: 5, bl: 0 },
    zoomDepth: 2,
  } as const
  const key = { color: '#00ff00', similarity: 20, blend: 10 }
  const image = pictureAt({ visuals: [imageOf({ ...shared, chromaKey: key })] }, 5)
  for (const visual of [
    videoOf({ ...shared, chromaKey: key }),
    gifOf({ ...shared, chromaKey: key }),
  ]) {
    const clip = pictureAt({ visuals: [visual] }, 5)
    t.deepEqual(clip && { ...clip, pixels: 0 }, image && ({ ...image, pixels: 0 } as never))
    t.deepEqual(clip?.pixels.key, { color: '#00ff00', similarity: 0.2, blend: 0.1 })
  }
})

test('one URL may be a picture here and a clip there', (t) => {
  const video = videoOf({ src: imageSrc, track: 1 })
  const facts = factsOf()
  const clip = facts.media.get(mediaKey({ expect: 'video', url: videoSrc }))
  if (!clip) return t.fail()
  const media = new Map([...facts.media, [mediaKey({ expect: 'video', url: imageSrc }), clip]])
  const project = projectOf({ visuals: [imageOf(), video] })
  const [, image, moving] = describeFrame(makeTimeline(project, { ...facts, media }), 0).commands
  const kindOf = (command?: DrawCommand) => command?.op === 'picture' && command.pixels.kind
  t.deepEqual([kindOf(image), kindOf(moving)], ['media', 'clip'])
})

test('a scene without its own length lasts as long as its clip', (t) => {
  const seconds = (changes: Parameters<typeof videoOf>[0]) => {
    const { duration: _, ...scene } = sceneOf({ visuals: [videoOf(changes)] })
    return makeTimeline(projectOf({ scenes: [scene] }), factsOf()).scenes[0]?.end
  }
  t.is(seconds({}), 3)
  t.is(seconds({ videoBegin: 1, speed: 2, enterBegin: 0.5 }), 1.5)
  t.is(seconds({ videoEnd: 2 }), 2)
  t.is(seconds({ videoEnd: 20 }), 3)
  t.is(seconds({ videoDuration: 1 }), 1)
  t.is(seconds({ exitEnd: 5 }), 5)
})

test('a fingerprint holds a clip and its shown frames, not their time', (t) => {
  const fingerprints = (changes: Parameters<typeof videoOf>[0], before = 0) => {
    const scenes = [
      ...(before > 0
        ? [sceneOf({ id: 'first', duration: before, backgroundColor: '#123456' })]
        : []),
      sceneOf({ duration: 2, visuals: [videoOf(changes)] }),
    ]
    const plan = makePlan({
      ...{ project: projectOf({ scenes }), facts: factsOf(), encoder: 'libx264' },
      canvas: { backend: 'napi', device: 'CPU' },
      sha256: (text) => text,
    })
    return plan.segments.map(({ fingerprint }) => fingerprint)
  }
  const plain = fingerprints({}).at(-1)
  t.is(fingerprints({}, 3).at(-1), plain)
  t.not(fingerprints({ videoBegin: 0.5 }).at(-1), plain)
  t.not(fingerprints({ speed: 0.5 }).at(-1), plain)
})
