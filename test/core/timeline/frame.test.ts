import test from 'ava'
import type { ResolvedProject } from '../../../core/project/resolved.ts'
import type { BakeFacts } from '../../../core/queue/tasks.ts'
import type { DrawCommand, PictureCommand } from '../../../core/timeline/draw.ts'
import { describeFrame } from '../../../core/timeline/frame.ts'
import { makeTimeline } from '../../../core/timeline/timeline.ts'
import { factsOf, imageOf, projectOf, sceneOf, textOf } from '../project-of.ts'

const frameOf = (project: Partial<ResolvedProject>, n = 0) =>
  describeFrame(makeTimeline(projectOf(project), factsOf()), n)

function onlyPicture(commands: readonly DrawCommand[]): PictureCommand {
  const found = commands.filter((command) => command.op === 'picture')
  if (found.length !== 1 || !found[0]) throw new Error(`one picture expected, got ${found.length}`)
  return found[0]
}

test('an empty project is its background', (t) => {
  t.deepEqual(frameOf({ backgroundColor: '#123456' }), {
    width: 100,
    height: 60,
    commands: [{ op: 'fill', rect: [0, 0, 100, 60], color: '#123456' }],
  })
})

test('a moving element shows its moment’s picture and holds the last one', (t) => {
  const project = projectOf({
    frameRate: 10,
    duration: 3,
    visuals: [textOf({ enterBegin: 1, enterEnd: 1 })],
  })
  const facts = factsOf()
  const ink = { bytes: 5, inkX: 0, inkY: 0, inkWidth: 4, inkHeight: 4 }
  const pictures = [0, 5, 10].map((offset) => ({ ...ink, offset }))
  const moments = { frameRate: 10, pictures, order: [0, 1, 1, 2] }
  const bakes = new Map([...facts.bakes].map(([key, bake]) => [key, { ...bake, moments }]))
  const timeline = makeTimeline(project, { ...facts, bakes })
  const offsetAt = (n: number) => {
    const { pixels } = onlyPicture(describeFrame(timeline, n).commands)
    return pixels.kind === 'bake' ? pixels.slice?.[0] : undefined
  }
  t.deepEqual([10, 11, 12, 13, 14, 25].map(offsetAt), [0, 5, 5, 10, 10, 10])
})

test('a transparent still has no background', (t) => {
  t.deepEqual(frameOf({ type: 'image', transparent: true, outputFormat: 'png' }).commands, [])
})

for (const [position, x, y] of [
  ['top-left', 0, 0],
  ['top-right', 60, 0],
  ['center-center', 30, 20],
  ['bottom-left', 0, 40],
  ['bottom-right', 60, 40],
] as const) {
  test(`position ${position} puts the element's edge flush with the frame's`, (t) => {
    const { commands } = frameOf({ visuals: [imageOf({ position, anchor: position, x: 7, y: 9 })] })
    t.deepEqual(onlyPicture(commands).dest, [x, y, 40, 20])
  })
}

test('a custom position puts the anchor at x and y', (t) => {
  const { commands } = frameOf({ visuals: [imageOf({ x: 50, y: 30, anchor: 'bottom-right' })] })
  t.deepEqual(onlyPicture(commands).dest, [10, 10, 40, 20])
})

for (const [why, changes, source, dest] of [
  ['the natural size without a box', {}, [0, 0, 40, 20], [0, 0, 40, 20]],
  ['one side gives the other', { width: 20 }, [0, 0, 40, 20], [0, 0, 20, 10]],
  ['a box without resize is filled', { width: 10, height: 10 }, [10, 0, 20, 20], [0, 0, 10, 10]],
  [
    'contain letterboxes',
    { width: 20, height: 20, resize: 'contain' },
    [0, 0, 40, 20],
    [0, 5, 20, 10],
  ],
  [
    'cover cuts the middle out',
    { width: 20, height: 20, resize: 'cover' },
    [10, 0, 20, 20],
    [0, 0, 20, 20],
  ],
  [
    'cover without a box fills the canvas',
    { resize: 'cover' },
    [3.333, 0, 33.333, 20],
    [0, 0, 100, 60],
  ],
  [
    'crop is cut to the picture',
    { crop: { x: 30, y: 10, width: 50, height: 5 } },
    [30, 10, 10, 5],
    [0, 0, 10, 5],
  ],
] as const) {
  test(`an image's size: ${why}`, (t) => {
    const picture = onlyPicture(frameOf({ visuals: [imageOf(changes)] }).commands)
    const rounded = picture.source.map((value) => Math.round(value * 1000) / 1000)
    t.deepEqual(rounded, [...source])
    t.deepEqual(picture.dest, [...dest] as unknown as typeof picture.dest)
  })
}

test('a crop outside the picture names its field', (t) => {
  const visuals = [imageOf({ crop: { x: 40, y: 0, width: 5, height: 5 } })]
  const error = t.throws(() => frameOf({ visuals }))
  t.like(error, { code: 'element_invalid', field: 'visuals[0].cropParams' })
})

test("a text's ink lies around its layout box", (t) => {
  const { commands } = frameOf({ visuals: [textOf({ x: 10, y: 20 })] })
  t.deepEqual(onlyPicture(commands).dest, [8, 18, 34, 14])
})

test('an element is seen from enterBegin up to, not including, exitEnd', (t) => {
  const visuals = [imageOf({ enterBegin: 0.3, enterEnd: 0.3, exitBegin: 0.6, exitEnd: 0.6 })]
  const seen = Array.from({ length: 10 }, (_, n) => frameOf({ visuals }, n).commands.length === 2)
  t.deepEqual(seen, [false, false, false, true, true, true, false, false, false, false])
})

test('enter and exit animations run over their windows, relative to the box', (t) => {
  const visuals = [
    imageOf({
      x: 5,
      y: 5,
      enterEnd: 1,
      enterAnimation: 'fade',
      exitBegin: 2,
      exitEnd: 3,
      exitAnimation: 'wipeleft',
    }),
  ]
  const at = (n: number) => frameOf({ visuals }, n).commands[1]
  t.like(at(5), { op: 'transition', name: 'fade', progress: 0.5, box: [5, 5, 40, 20], from: [] })
  t.like(at(15), { op: 'picture' })
  t.like(at(25), { op: 'transition', name: 'wipeleft', progress: 0.5, to: [] })
})

test('a transition plays in its own box and takes its surroundings along', (t) => {
  const text = { x: 20, y: 20, enterEnd: 1, exitBegin: 1, exitEnd: 2, exitAnimation: 'slideup' }
  const seen = (n: number, changes: object = {}) => {
    const visuals = [textOf({ ...text, enterAnimation: 'circleopen', ...changes })]
    return frameOf({ duration: 2, frameRate: 10, visuals }, n).commands.slice(1)
  }
  const places = { box: [20, 20, 30, 10], around: [18, 18, 34, 14] }
  const [entering, ...others] = seen(5)
  t.like(entering, { op: 'transition', name: 'circleopen', progress: 0.5, ...places, from: [] })
  t.is(others.length, 0)
  t.like(seen(15)[0], { name: 'slideup', progress: 0.5, ...places, to: [] })
  // An exit that begins while the enter still plays holds it.
  const [both] = seen(5, { exitBegin: 0 })
  t.like(both, { name: 'slideup', ...places })
  t.like(both?.op === 'transition' && both.from[0], { name: 'circleopen', ...places })
  // Overhanging parts are painted, however far outside the box is.
  t.is(seen(5, { x: 101 }).length, 1)
  t.is(seen(5, { x: 102 }).length, 0)
})

test('a letterboxed picture transitions in its own box', (t) => {
  const contain = { width: 20, height: 20, resize: 'contain', enterEnd: 1 } as const
  const visuals = [imageOf({ ...contain, enterAnimation: 'wipedown' })]
  const { commands } = frameOf({ duration: 2, frameRate: 10, visuals }, 3)
  t.like(commands[1], { op: 'transition', progress: 0.3, box: [0, 0, 20, 20] })
  t.is(commands.length, 2)
})

test('exits and enters past the film’s end are cut off, not squeezed', (t) => {
  const progressAt = (changes: object) => {
    const visuals = [imageOf(changes)]
    const project = { durationMode: 'fixed', duration: 1, frameRate: 10, visuals } as const
    const command = frameOf(project, 9).commands[1]
    return command?.op === 'transition' ? command.progress : undefined
  }
  const exit = { exitBegin: 0.5, exitEnd: 2.5, exitAnimation: 'fade' }
  t.is(progressAt(exit), 0.2)
  t.is(progressAt({ enterBegin: 0.5, enterEnd: 2.5, enterAnimation: 'fade' }), 0.2)
})

test('the margin of a text stands between its anchor and its box', (t) => {
  const placed = (changes: object, margin: NonNullable<BakeFacts['margin']>) => {
    const facts = factsOf()
    const bakes = new Map([...facts.bakes].map(([key, bake]) => [key, { ...bake, margin }]))
    const project = projectOf({ visuals: [textOf(changes)] })
    const element = makeTimeline(project, { ...facts, bakes }).elements[0]
    return [element?.box, element?.dest]
  }
  const margin = { left: 5, top: 7, right: 11, bottom: -3 }
  t.deepEqual(placed({}, margin), [
    [5, 7, 30, 10],
    [3, 5, 34, 14],
  ])
  const corner = { position: 'bottom-right', anchor: 'bottom-right' }
  t.deepEqual(placed(corner, margin)[0], [59, 53, 30, 10])
  const middle = { position: 'center-center', anchor: 'center-center' }
  t.deepEqual(placed(middle, margin)[0], [32, 30, 30, 10])
})

test('a turned element transitions in its enlarged box', (t) => {
  const visuals = [imageOf({ x: 20, y: 20, angle: 90, enterEnd: 1, enterAnimation: 'fade' })]
  t.like(frameOf({ visuals }, 5).commands[1], { box: [30, 10, 20, 40] })
})

test('zoom grows linearly about the centre and stays inside the box', (t) => {
  const visuals = [imageOf({ zoomDepth: 3, exitBegin: 2, exitEnd: 2 })]
  const picture = onlyPicture(frameOf({ visuals }, 10).commands)
  t.deepEqual(picture.dest, [-20, -10, 80, 40])
  t.deepEqual(picture.clip?.rect, [0, 0, 40, 20])
})

test('higher tracks paint later, equal tracks in the order of the list', (t) => {
  const visuals = [
    imageOf({ track: 2, x: 1 }),
    imageOf({ track: 0, x: 2 }),
    imageOf({ track: 0, x: 3 }),
  ]
  const { commands } = frameOf({ visuals })
  t.deepEqual(
    commands.flatMap((command) => (command.op === 'picture' ? [command.dest[0]] : [])),
    [2, 3, 1],
  )
})

test('a scene with a transition overlaps the next, which replaces it', (t) => {
  const scenes = [
    sceneOf({ transition: 'fade', transitionDuration: 0.5, backgroundColor: '#aa0000' }),
    sceneOf({ field: 'scenes[1]', backgroundColor: '#00bb00' }),
  ]
  const timeline = makeTimeline(projectOf({ scenes }), factsOf())
  t.is(timeline.frames, 35)
  t.like(describeFrame(timeline, 16).commands[1], {
    op: 'transition',
    name: 'fade',
    from: [{ color: '#aa0000' }],
    to: [{ color: '#00bb00' }],
  })
  t.like(describeFrame(timeline, 14).commands[1], { op: 'fill', color: '#aa0000' })
  t.like(describeFrame(timeline, 20).commands[1], { op: 'fill', color: '#00bb00' })
})

test('overlaps never let a third scene be seen', (t) => {
  const scenes = Array.from({ length: 4 }, (_, i) =>
    sceneOf({ id: `s${i}`, duration: 1, transition: 'fade', transitionDuration: 0.8 }),
  )
  const timeline = makeTimeline(projectOf({ scenes }), factsOf())
  for (let n = 0; n < timeline.frames; n += 1) {
    const second = n / 10
    const seen = timeline.scenes.filter((s) => second >= s.begin && second < s.end - 1e-9)
    t.true(seen.length <= 2)
  }
})

for (const [why, changes, frames] of [
  ['10 s when nothing is said', {}, 100],
  ['as given', { duration: 2.5 }, 25],
  ['never cut below the scenes', { duration: 1, scenes: [sceneOf()] }, 20],
  ['the scenes when nothing is given', { scenes: [sceneOf()] }, 20],
  [
    'auto: from the explicit ends',
    { durationMode: 'auto', visuals: [imageOf({ exitBegin: 4, exitEnd: 4 })] },
    40,
  ],
  ['auto: the given one is a minimum', { durationMode: 'auto', duration: 3 }, 30],
  ['auto: the scenes, and what lies over them', { durationMode: 'auto', scenes: [sceneOf()] }, 20],
  ['fixed: as given', { durationMode: 'fixed', duration: 2.5, visuals: [textOf()] }, 25],
  [
    'fixed: never cut below the scenes',
    { durationMode: 'fixed', duration: 1, scenes: [sceneOf()] },
    20,
  ],
] as const) {
  test(`the film's length: ${why}`, (t) => {
    t.is(makeTimeline(projectOf(changes), factsOf()).frames, frames)
  })
}

test('a picture that was never ingested is an error of the farm', (t) => {
  t.throws(() => frameOf({ visuals: [imageOf({ src: 'https://example.com/other.jpg' })] }), {
    message: /visuals\[0\]/,
  })
})
