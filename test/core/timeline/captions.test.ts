import test from 'ava'
import { plans } from '../../../core/accounts/plans.ts'
import { bakeNeeds } from '../../../core/plan/needs.ts'
import type { BakeFacts } from '../../../core/queue/tasks.ts'
import type { PictureCommand } from '../../../core/timeline/draw.ts'
import { exact } from '../../../core/timeline/exact.ts'
import { describeFrame } from '../../../core/timeline/frame.ts'
import { makeTimeline } from '../../../core/timeline/timeline.ts'
import { bakeKeyText } from '../../../core/visuals/painted/bake-document.ts'
import { resolved } from '../project/outcome.ts'

/**
 * Frames of "ab cd", each word a second of 100 frames, in a line of 100x20 px at (50, 40). `plain`,
 * `active` and `plate` stand for the baked pictures.
 */
function filmOf(subtitle: object) {
  const captions = [{ start: 0, end: 2, text: 'ab cd' }]
  const size = { width: 200, height: 100, frameRate: 60, duration: 3 }
  const payload = { ...size, subtitle: { captions, position: 'center', ...subtitle } }
  const { project } = resolved(payload, {}, plans.studio)
  const documents = bakeNeeds(project)
  const nameOf = ({ markup, parts }: (typeof documents)[number]) => {
    if (markup.includes('hidden')) return 'plate'
    return parts ? 'plain' : 'active'
  }
  const letters = subtitle && 'animation' in subtitle && subtitle.animation === 'typewriter'
  const part = (x: number, width: number): [number, number, number, number][] => [[x, 0, width, 20]]
  const parts = letters
    ? [part(0, 20), part(20, 20), part(60, 20), part(80, 20)]
    : [part(0, 40), part(60, 40)]
  const ink = { inkX: 0, inkY: 0, inkWidth: 100, inkHeight: 20 }
  const bakes = new Map(
    documents.map((document) => {
      const bake: BakeFacts = {
        ...{ digest: nameOf(document), bytes: 1, width: 100, height: 20, ...ink },
        ...(document.parts && { parts }),
        warnings: [],
      }
      return [bakeKeyText(document), bake]
    }),
  )
  const timeline = makeTimeline(project, { media: new Map(), bakes })
  return (second: number) =>
    describeFrame(timeline, Math.round(second * 60))
      .commands.filter((command) => command.op === 'picture')
      .map(shown)
}

/** Formats `name left..right`, with the opacity and the size when they are not 1. */
function shown({ pixels, dest: [x, y, width, height], opacity, source }: PictureCommand): string {
  const scale = width / source[2]
  return [
    `${pixels.digest} ${x}..${exact(x + width)}`,
    ...(y === 40 && height === 20 ? [] : [`y ${y}..${y + height}`]),
    ...(opacity === 1 ? [] : [`opacity ${opacity}`]),
    ...(scale === 1 ? [] : [`scale ${scale.toFixed(3)}`]),
  ].join(' ')
}

const whole = ['plain 50..150']

for (const [why, subtitle, second, expected] of [
  ['a line is drawn at once', {}, 0, whole],
  ['and is gone at its end', {}, 2, []],
  ['none is as normal', { animation: 'none' }, 1, whole],
  ['with its background below', { background: {} }, 0, ['plate 50..150', ...whole]],
  [
    'karaoke restyles only the active word',
    { animation: 'karaoke' },
    1,
    ['plain 50..100', 'active 100..150'],
  ],
  ['so does highlight', { animation: 'highlight' }, 0.5, ['active 50..100', 'plain 100..150']],
  ['progressive hides future words', { animation: 'progressive' }, 0.5, ['plain 50..100']],
  ['and keeps past ones', { animation: 'progressive' }, 1, whole],
  [
    'restyled when asked',
    { animation: 'progressive', activeWord: {} },
    1,
    ['plain 50..100', 'active 100..150'],
  ],
  ['fill sweeps a word', { animation: 'fill' }, 0.25, ['active 50..60', 'plain 60..150']],
  ['and the next', { animation: 'fill' }, 1.5, ['active 50..130', 'plain 130..150']],
  ['fade takes 150 ms', { animation: 'fade' }, 0.1, ['plain 50..100 opacity 0.666667']],
  ['then it is opaque', { animation: 'fade' }, 0.15, ['plain 50..100']],
  [
    'a word at a time',
    { animation: 'fade' },
    1.05,
    ['plain 50..100', 'plain 100..150 opacity 0.333333'],
  ],
  ['typing shows letters', { animation: 'typewriter' }, 0.5, ['plain 50..100']],
  ['one after another', { animation: 'typewriter' }, 0.4, ['plain 50..70']],
  [
    'slide comes from below in 300 ms',
    { animation: 'slide', font: { size: 40 } },
    0.15,
    ['plain 50..150 y 55..75'],
  ],
  [
    'opaque after 150 ms, from the side it is told',
    { animation: 'slide', direction: 'left', font: { size: 40 } },
    0.1,
    ['plain 77..177 opacity 0.666667'],
  ],
  ['and stands', { animation: 'slide' }, 0.3, whole],
  [
    'the older form says the same',
    { position: undefined, styles: { mode: 'karaoke', position: 'center' } },
    1,
    ['plain 50..100', 'active 100..150'],
  ],
] as const) {
  test(`${why}: ${JSON.stringify(subtitle)} at ${second} s`, (t) => {
    t.deepEqual(filmOf(subtitle)(second), [...expected])
  })
}

for (const [animation, steps] of [
  ['pop', { 0: 1.3, 0.15: 1.225, 0.25: 1.18, 0.9: 1.18, 1: 1.3 }],
  ['bounce', { 0: 1.35, 0.05: 1.171, 0.2: 1.027, 0.3: 1.04, 0.4: 1, 1: 1.35 }],
] as const) {
  test(`${animation} scales the active word, above the others`, (t) => {
    const frameAt = filmOf({ animation })
    for (const [second, scale] of Object.entries(steps)) {
      const active = frameAt(Number(second)).filter((each) => each.startsWith('active'))
      t.is(active.length, 1)
      const seen = /scale (.*)$/.exec(active[0] ?? '')?.[1] ?? '1.000'
      t.is(seen, scale.toFixed(3), `${second} s`)
    }
  })
}

for (const [position, margin, x, y] of [
  ['top', { y: 5 }, 50, 5],
  ['bottom', { y: 5 }, 50, 75],
  ['top-left', { x: 7, y: 5 }, 7, 5],
  ['bottom-right', { x: 7, y: 5 }, 93, 75],
  ['center', { x: 7, y: 5 }, 50, 45],
  ['bottom', undefined, 50, 75],
] as const) {
  test(`${position} with the margin ${JSON.stringify(margin)}`, (t) => {
    const [line] = filmOf({ position, ...(margin && { margin }) })(0)
    t.is(line, `plain ${x}..${x + 100} y ${y}..${y + 20}`)
  })
}

/**
 * Tops of the lines that are visible at a moment, of captions that are 20 px high each in a film of
 * 100.
 */
function topsOf(subtitle: object, captions: readonly (readonly [number, number, string])[]) {
  const size = { width: 200, height: 100, frameRate: 10, duration: 10 }
  const texts = captions.map(([start, end, text]) => ({ start, end, text }))
  const look = { margin: { x: 0, y: 0 }, ...subtitle }
  const { project } = resolved(
    { ...size, subtitle: { captions: texts, ...look } },
    {},
    plans.studio,
  )
  const bakes = new Map(
    bakeNeeds(project).map((document) => {
      const text = document.markup.replace(/<[^>]*>/g, '')
      const rows = document.markup.split('<br>').length
      const ink = { inkX: 0, inkY: 0, inkWidth: 100, inkHeight: 20 * rows }
      const box = { width: 100, height: 20 * rows, ...ink }
      const parts: [number, number, number, number][][] = [[[0, 0, 100, 20 * rows]]]
      const bake: BakeFacts = { digest: text, bytes: 1, ...box, parts, warnings: [] }
      return [bakeKeyText(document), bake]
    }),
  )
  const timeline = makeTimeline(project, { media: new Map(), bakes })
  return (second: number) =>
    Object.fromEntries(
      describeFrame(timeline, Math.round(second * 10))
        .commands.filter((command) => command.op === 'picture')
        .map(({ pixels, dest }) => [pixels.digest, dest[1]]),
    )
}

test('captions overlapping in time stand upon each other and keep their places', (t) => {
  const tops = topsOf({}, [
    [0, 4, 'long'],
    [1, 6, 'later'],
    [2, 3, 'short'],
    [5, 8, 'next'],
  ])
  t.deepEqual(tops(0.5), { long: 80 })
  t.deepEqual(tops(1.5), { long: 80, later: 60 })
  t.deepEqual(tops(2.5), { long: 80, later: 60, short: 40 })
  t.deepEqual(tops(3.5), { long: 80, later: 60 })
  t.deepEqual(tops(4.5), { later: 60 })
  t.deepEqual(tops(5.5), { later: 60, next: 80 })
  t.deepEqual(tops(7), { next: 80 })
})

test('captions that begin together stand in their order, from the edge inwards', (t) => {
  const captions = [
    [0, 1, 'a'],
    [0, 1, 'b'],
  ] as const
  t.deepEqual(topsOf({ position: 'top' }, captions)(0), { a: 0, b: 20 })
  t.deepEqual(topsOf({ position: 'center-left' }, captions)(0), { a: 40, b: 60 })
  t.deepEqual(topsOf({ position: 'bottom-right' }, captions)(0), { a: 80, b: 60 })
  // Strokes do not touch either.
  t.deepEqual(topsOf({ stroke: { width: 5 } }, captions)(0), { a: 80, b: 50 })
})

test('a caption that begins when another ends takes its place', (t) => {
  const tops = topsOf({}, [
    [0, 0.3, 'a'],
    [0.3, 1, 'b'],
  ])
  t.deepEqual(tops(0.2), { a: 80 })
  t.deepEqual(tops(0.3), { b: 80 })
})
