import test from 'ava'
import fc from 'fast-check'
import { assembleDigests, thumbnailPixels } from '../../../core/plan/inputs.ts'
import { makePlan } from '../../../core/plan/make-plan.ts'
import { mediaWarnings } from '../../../core/plan/media-warnings.ts'
import { bakeNeeds, elementsWithPictures, mediaNeeds } from '../../../core/plan/needs.ts'
import type { CanvasSettings, EncoderSettings } from '../../../core/plan/plan.ts'
import { type FrameRange, runsOf } from '../../../core/plan/runs.ts'
import { cutSegments, groupSegments } from '../../../core/plan/segments.ts'
import type { ResolvedProject } from '../../../core/project/resolved.ts'
import type { MediaFacts } from '../../../core/queue/tasks.ts'
import { mediaKey } from '../../../core/timeline/facts.ts'
import { makeTimeline } from '../../../core/timeline/timeline.ts'
import { bakeKeyText } from '../../../core/visuals/painted/bake-document.ts'
import {
  audioOf,
  factsOf,
  imageOf,
  imageSrc,
  projectOf,
  sceneOf,
  soundSrc,
  textOf,
  videoOf,
} from '../project-of.ts'

const cpu = { backend: 'napi', device: 'CPU' } as const

const planOf = (
  project: Partial<ResolvedProject>,
  canvas: CanvasSettings = cpu,
  encoder: EncoderSettings['encoder'] = 'libx264',
) =>
  makePlan({
    project: projectOf(project),
    facts: factsOf(),
    encoder,
    canvas,
    sha256: (text) => text,
  })

const element = fc
  .tuple(fc.double({ min: 0, max: 40, noNaN: true }), fc.double({ min: 0, max: 20, noNaN: true }))
  .map(([begin, length]) =>
    imageOf({
      enterBegin: begin,
      enterEnd: begin,
      exitBegin: begin + length,
      exitEnd: begin + length,
    }),
  )

const painted = (runs: readonly FrameRange[]) => runs.map((run) => ({ ...run, kind: 'painter' }))

test('segments cover every frame once, in order, mostly a second or longer', (t) => {
  fc.assert(
    fc.property(
      fc.array(element, { maxLength: 30 }),
      fc.double({ min: 0.1, max: 60, noNaN: true }),
      fc.integer({ min: 1, max: 60 }),
      fc.boolean(),
      (visuals, duration, frameRate, isRepeated) => {
        const timeline = makeTimeline(projectOf({ visuals, duration, frameRate }), factsOf())
        const runs = [...runsOf(timeline, { start: 0, frames: timeline.frames })]
        const long = runs.filter(({ frames }) => frames >= 8 * frameRate)
        const near = (a: number, b: number) => Math.abs(a - b) <= 0.4 * frameRate
        const isBesideLong = ({ start, frames }: FrameRange) =>
          long.some((run) => near(run.start + run.frames, start) || near(run.start, start + frames))
        let next = 0
        for (const range of cutSegments(timeline, painted(runs), { isRepeated })) {
          t.is(range.start, next)
          t.true(range.frames >= Math.min(frameRate, timeline.frames) || isBesideLong(range))
          t.true(range.frames <= 4 * frameRate + 1)
          next += range.frames
        }
        t.is(next, timeline.frames)
      },
    ),
  )
})

test('segments cover the film within a GOP, wherever key frames are', (t) => {
  const facts = factsOf()
  const clips = [...facts.media].map(([key, { digest, facts }]) => {
    return [key, { digest, facts: facts.kind === 'video' ? { ...facts, frames: 9000 } : facts }]
  })
  const media = new Map(clips as [string, { digest: string; facts: MediaFacts }][])
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.integer({ min: 0, max: 2000 }), { maxLength: 60 }),
      fc.double({ min: 0.1, max: 60, noNaN: true }),
      fc.integer({ min: 5, max: 60 }),
      fc.double({ min: 0.5, max: 3, noNaN: true }),
      (keys, duration, frameRate, speed) => {
        const project = projectOf({ visuals: [videoOf({ speed })], duration, frameRate })
        const timeline = makeTimeline(project, { ...facts, media })
        const runs = [...runsOf(timeline, { start: 0, frames: timeline.frames })]
        const keyFrames = { ['d'.repeat(64)]: keys.toSorted((a, b) => a - b) }
        const ranges = cutSegments(timeline, painted(runs), { isRepeated: true, keyFrames })
        let next = 0
        for (const { start, frames } of ranges) {
          t.is(start, next)
          t.true(frames >= Math.min(frameRate, timeline.frames))
          t.true(frames <= 4 * frameRate + 1, `${frames}`)
          next += frames
        }
        t.is(next, timeline.frames)
      },
    ),
  )
})

test('segments over a clip begin at its nearby key frames', (t) => {
  const facts = factsOf()
  const [[key, { digest, facts: clip }] = t.fail()] = [...facts.media].filter(
    ([, { facts }]) => facts.kind === 'video',
  )
  const keyFrames = [0, 59, 118, 156, 215, 247, 280, 339, 398, 434, 493, 552, 587]
  const known = { ...clip, frames: 600, keyFrames } as MediaFacts
  const media = new Map([...facts.media, [key, { digest, facts: known }]])
  const startsOf = (
    visuals: ResolvedProject['visuals'],
    changes: Partial<ResolvedProject> = {},
  ) => {
    const project = projectOf({ duration: 20, frameRate: 30, visuals, ...changes })
    const made = { encoder: 'libx264', canvas: cpu, sha256: (text: string) => text } as const
    const plan = makePlan({ ...made, project, facts: { ...facts, media } })
    t.deepEqual(plan.keyFrames, { [digest]: keyFrames })
    return plan.segments.map(({ start }) => start)
  }
  t.deepEqual(startsOf([videoOf()]), [0, 118, 215, 280, 398, 493])
  t.deepEqual(startsOf([videoOf({ speed: 2 })], { duration: 6 }), [0, 78])
  t.deepEqual(startsOf([videoOf({ enterBegin: 1, enterEnd: 1 })], { duration: 6 }), [0, 89])
  const gone = videoOf({ exitBegin: 19, exitEnd: 19 })
  t.deepEqual(startsOf([gone]).slice(0, 2), [0, 118])
})

test('a film of clips is cut where a transition begins and ends', (t) => {
  const startsOf = (transitionDuration: number, visual = videoOf({ width: 100, height: 60 })) => {
    const scene = { duration: 3, visuals: [visual], transitionDuration }
    const scenes = [
      sceneOf({ id: 'a', ...scene, transition: 'fade' }),
      sceneOf({ id: 'b', ...scene }),
    ]
    return planOf({ frameRate: 30, scenes }).segments.map(({ start }) => start)
  }
  t.deepEqual(startsOf(0.6), [0, 72, 90])
  // Twelve frames at least are painted, here nine of the transition and three beyond.
  t.deepEqual(startsOf(0.3), [0, 81, 93])
  // A clip that does not fill the canvas is painted everywhere.
  t.deepEqual(startsOf(0.6, videoOf({ width: 90, height: 60 })), [0, 72])
})

test('a film of photographs is cut where a transition begins and ends', (t) => {
  const startsOf = (transition: string) => {
    const photo = imageOf({ width: 100, height: 60, resize: 'cover' })
    const scene = { duration: 3, visuals: [{ ...photo, zoomDepth: 1.2 }], transitionDuration: 0.6 }
    const scenes = [sceneOf({ id: 'a', ...scene, transition }), sceneOf({ id: 'b', ...scene })]
    return planOf({ frameRate: 30, scenes }).segments.map(({ start }) => start)
  }
  t.deepEqual(startsOf('slideleft'), [0, 72, 90])
  // A fade is blended without a canvas, as the photographs beside it are.
  t.deepEqual(startsOf('fade'), [0, 72])
})

test('groups hold every segment once, in order, however many shards there are', (t) => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 60 }),
      fc.integer({ min: 1, max: 80 }),
      (lengths, shards) => {
        const groups = groupSegments(
          lengths.map((frames) => ({ start: 0, frames })),
          shards,
        )
        t.deepEqual(
          groups.flat(),
          lengths.map((_, i) => i),
        )
        t.true(groups.length <= shards)
        t.true(groups.every((group) => group.length > 0))
      },
    ),
  )
})

test('a changed element changes fingerprints only of the segments that show it', (t) => {
  const film = (x: number) =>
    planOf({
      duration: 12,
      visuals: [
        imageOf({ field: 'visuals[0]' }),
        imageOf({ x, enterBegin: 4, enterEnd: 4, exitBegin: 6, exitEnd: 6 }),
      ],
    })
  const before = film(1).segments
  const after = film(2).segments
  t.deepEqual(
    before.map((segment, i) => [segment.start, segment.fingerprint === after[i]?.fingerprint]),
    [
      [0, true],
      [40, false],
      [60, true],
      [90, true],
    ],
  )
})

test('a long still picture repeats one or two segments within a GOP', (t) => {
  for (const duration of [4, 30, 61.3, 600]) {
    const { segments, timeline, encoder } = planOf({ duration, visuals: [imageOf()] })
    t.true(segments.every(({ frames }) => frames <= encoder.gop && frames >= timeline.frameRate))
    const lengths = [...new Set(segments.map(({ frames }) => frames))].sort((a, b) => a - b)
    t.true(lengths.length === 1 || (lengths.length === 2 && lengths[1] === Number(lengths[0]) + 1))
    const kinds = new Set(segments.map(({ fingerprint }) => fingerprint))
    t.is(kinds.size, lengths.length)
  }
})

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, each) => sum + each, 0)

test('a fade before a long still is cut where the still begins', (t) => {
  const fading = textOf({ enterBegin: 0, enterEnd: 1, enterAnimation: 'fade' })
  const cuts = (changes: Partial<ResolvedProject>) => {
    const { segments } = planOf({ frameRate: 30, visuals: [fading], ...changes })
    const kinds = [...new Set(segments.map(({ fingerprint }) => fingerprint))]
    return segments.map(({ start, frames, encoded, fingerprint }) => [
      ...[start, frames, encoded, kinds.indexOf(fingerprint)],
    ])
  }
  const parts = [109, 109, 109, 108, 109, 109, 109, 108]
  const from = (begin: number) => parts.map((_, i) => begin + sumOf(parts.slice(0, i)))
  const kindOf = (frames: number | undefined) => (frames === 109 ? 1 : 2)
  const standing = from(30).map((start, i) => [start, parts[i], 12, kindOf(parts[i])])
  t.deepEqual(cuts({ duration: 30 }), [[0, 30, 30, 0], ...standing])
  const leaving = textOf({ exitBegin: 29, exitEnd: 30, exitAnimation: 'fade' })
  const stood = from(0).map((start, i) => [start, parts[i], 12, kindOf(parts[i]) - 1])
  t.deepEqual(cuts({ duration: 30, visuals: [leaving] }), [...stood, [870, 30, 30, 2]])
  const short = cuts({ duration: 8 })
  t.deepEqual(
    short.map(([start]) => start),
    [0, 60, 120, 180],
  )
})

test('parts of a long still are equal when every frame is encoded', (t) => {
  const fading = textOf({ enterBegin: 0, enterEnd: 1, enterAnimation: 'fade' })
  const { segments } = planOf({ frameRate: 30, duration: 30, visuals: [fading] }, cpu, 'libvpx-vp9')
  t.deepEqual(
    segments.map(({ frames, encoded }) => [frames, encoded]),
    [[36, 36], ...Array.from({ length: 8 }, () => [108, 108])],
  )
})

test('another canvas or device changes the fingerprints', (t) => {
  const canvases = [cpu, { ...cpu, backend: 'skia' }, { backend: 'skia', device: 'GPU A' }] as const
  const film = { visuals: [imageOf()] }
  const fingerprints = canvases.map((canvas) => planOf(film, canvas).segments[0]?.fingerprint)
  t.is(new Set(fingerprints).size, canvases.length)
  t.is(fingerprints[0], planOf(film, { ...cpu }).segments[0]?.fingerprint)
})

test('the same picture sequence later in the film has the same fingerprint', (t) => {
  const scenes = ['a', 'b', 'c'].map((id) => sceneOf({ id, visuals: [imageOf({ zoomDepth: 2 })] }))
  const [first, second, third] = planOf({ scenes }).segments
  t.true(first?.fingerprint === second?.fingerprint)
  t.true(first?.fingerprint === third?.fingerprint)
})

test('a segment names the pictures it reads', (t) => {
  const visuals = [imageOf({ exitBegin: 2, exitEnd: 2 }), textOf()]
  const { segments } = planOf({ duration: 6, visuals })
  t.deepEqual(segments[0]?.pixels, ['a'.repeat(64), 'b'.repeat(64)])
  t.deepEqual(segments.at(-1)?.pixels, ['b'.repeat(64)])
})

test('each URL is fetched once, whatever stands in how many places', (t) => {
  const project = projectOf({
    visuals: [imageOf(), imageOf({ field: 'visuals[1]' })],
    scenes: [
      sceneOf({ visuals: [imageOf({ field: 'scenes[0].visuals[0]' })], audios: [audioOf()] }),
    ],
  })
  t.deepEqual(mediaNeeds(project), [
    { url: imageSrc, field: 'visuals[0].src', expect: 'image' },
    { url: soundSrc, field: 'audios[0].src', expect: 'audio' },
  ])
})

const logoUrl = 'https://example.com/logo.png'
const faceUrl = 'https://example.com/face.jpg'
const pictured = (html: string, pictures: string[]) => textOf({ html, pictures })
const mediaOf = (digests: Record<string, string>) => {
  const facts = { kind: 'image', format: 'png', width: 40, height: 20, hasAlpha: false } as const
  return new Map(
    Object.entries(digests).map(([url, digest]) => [
      mediaKey({ expect: 'image', url }),
      { digest, facts },
    ]),
  )
}

test('pictures in html are fetched as images, and painted once there', (t) => {
  const html = `<img src="${logoUrl}"><img src="${faceUrl}">`
  const visuals = [pictured(html, [logoUrl, faceUrl]), textOf(), imageOf({ src: logoUrl })]
  const project = projectOf({ visuals })
  t.deepEqual(mediaNeeds(project), [
    { url: logoUrl, field: 'visuals[1].html', expect: 'image', isInHtml: true },
    { url: faceUrl, field: 'visuals[1].html', expect: 'image', isInHtml: true },
  ])
  t.is(elementsWithPictures(project).length, 1)
  t.is(bakeNeeds(project).length, 1)
  t.is(bakeNeeds(project, mediaOf({ [logoUrl]: 'a1' })).length, 1)
  const [document, other] = bakeNeeds(project, mediaOf({ [logoUrl]: 'a1', [faceUrl]: 'b2' }))
  t.is(document?.markup, '<img src="farm-picture:a1"><img src="farm-picture:b2">')
  t.deepEqual(document?.pictures, [
    { digest: 'a1', width: 40, height: 20 },
    { digest: 'b2', width: 40, height: 20 },
  ])
  t.false('pictures' in (other ?? {}))
})

test('a pictured element is painted anew for other bytes, not another URL', (t) => {
  const keyOf = (url: string, digest: string) => {
    const project = projectOf({ visuals: [pictured(`<img src="${url}">`, [url])] })
    const [document] = bakeNeeds(project, mediaOf({ [url]: digest }))
    return document && bakeKeyText(document)
  }
  t.truthy(keyOf(logoUrl, 'a1'))
  t.is(keyOf(logoUrl, 'a1'), keyOf(`${logoUrl}?signed=2`, 'a1'))
  t.not(keyOf(logoUrl, 'a1'), keyOf(logoUrl, 'b2'))
})

test('a missing part of an html picture is reported with its URL', (t) => {
  const media = mediaOf({ [logoUrl]: 'a1' })
  const key = mediaKey({ expect: 'image', url: logoUrl })
  const known = media.get(key)
  if (!known) return t.fail()
  const facts = { ...known.facts, warnings: ['This png file is cut off.'] }
  const project = projectOf({ visuals: [pictured(`<img src="${logoUrl}">`, [logoUrl])] })
  t.deepEqual(mediaWarnings(project, new Map([[key, { ...known, facts }]])), [
    {
      field: 'visuals[1].html',
      code: 'media_damaged',
      message: `This png file is cut off. The picture is ${logoUrl}`,
    },
  ])
})

test('two texts that look the same are one bake, wherever they stand', (t) => {
  const [a, b, c] = bakeNeeds(
    projectOf({
      visuals: [textOf(), textOf({ field: 'visuals[9]', x: 5 }), textOf({ html: 'Other' })],
    }),
  )
  if (!a || !b || !c) return t.fail('three texts need three documents')
  t.is(bakeKeyText(a), bakeKeyText(b))
  t.not(bakeKeyText(a), bakeKeyText(c))
})

for (const [why, changes, clip] of [
  ['its whole length', {}, { at: 0, from: 0, length: 144_000 }],
  ['from enter to exit', { enter: 1, exit: 2 }, { at: 48_000, from: 0, length: 48_000 }],
  ['trimmed', { audioBegin: 1, audioEnd: 1.5 }, { at: 0, from: 48_000, length: 24_000 }],
  ['faster is shorter', { speed: 2 }, { at: 0, from: 0, length: 72_000 }],
  ['only audioDuration of it', { audioDuration: 0.5 }, { at: 0, from: 0, length: 24_000 }],
  ['cut at the end of the film', { enter: 9 }, { at: 432_000, from: 0, length: 48_000 }],
] as const) {
  test(`a sound is heard for ${why}`, (t) => {
    t.like(planOf({ audios: [audioOf(changes)] }).audio[0], clip)
  })
}

test('a sound in a scene is heard in that scene only', (t) => {
  const scenes = [sceneOf(), sceneOf({ id: 'b', audios: [audioOf({ enter: 0.5 })] })]
  t.like(planOf({ scenes }).audio[0], { at: 120_000, length: 72_000 })
})

test('sounds of linked scenes fade over the overlap', (t) => {
  const scenes = [
    sceneOf({ id: 'a', transition: 'fade', audios: [audioOf(), audioOf({ exit: 1 })] }),
    sceneOf({ id: 'b', audios: [audioOf(), audioOf({ enter: 1 })] }),
  ]
  const fade = { at: 72_000, length: 24_000 }
  t.deepEqual(
    planOf({ scenes }).audio.map(({ at, length, fades }) => ({ at, length, fades })),
    [
      { at: 0, length: 96_000, fades: [{ way: 'out', ...fade }] },
      { at: 0, length: 48_000, fades: [] },
      { at: 72_000, length: 96_000, fades: [{ way: 'in', ...fade }] },
      { at: 120_000, length: 48_000, fades: [] },
    ],
  )
})

for (const [outputFormat, sound] of [
  ['mp4', 'aac'],
  ['mov', 'aac'],
  ['webm', 'libopus'],
  ['avi', 'libmp3lame'],
] as const) {
  test(`the plan of a ${outputFormat} names its encoder of sound`, (t) => {
    t.like(planOf({ outputFormat }).output, { format: outputFormat, soundEncoder: sound })
  })
}

test('a picture given as thumbnail is fetched and stands in the plan', (t) => {
  const film = { thumbnail: imageSrc, audios: [audioOf()] }
  t.deepEqual(mediaNeeds(projectOf(film)), [
    { url: soundSrc, field: 'audios[0].src', expect: 'audio' },
    { url: imageSrc, field: 'thumbnail', expect: 'image' },
  ])
  const plan = planOf(film)
  t.is(plan.output.thumbnailPicture, 'a'.repeat(64))
  t.deepEqual(assembleDigests(plan), ['c'.repeat(64), 'a'.repeat(64)])
})

test('a thumbnail is painted from the frame a third into the film', (t) => {
  const early = imageOf({ exitBegin: 1, exitEnd: 1 })
  const late = textOf({ enterBegin: 1, enterEnd: 1 })
  const plan = planOf({ visuals: [early, late], duration: 6 })
  const [, pixels] = plan.segments.map((segment) => segment.pixels)
  t.deepEqual(thumbnailPixels(plan), pixels)
  t.deepEqual(assembleDigests(plan), pixels)
})

test('a thumbnail of a clip, or a given one, is not painted', (t) => {
  t.is(thumbnailPixels(planOf({ visuals: [videoOf({})], duration: 6 })), undefined)
  t.is(thumbnailPixels(planOf({ visuals: [imageOf()], thumbnail: imageSrc })), undefined)
})

test('a silent sound is not mixed', (t) => {
  t.deepEqual(planOf({ audios: [audioOf({ volume: 0 })] }).audio, [])
})
