import test from 'ava'
import type { DrawCommand } from '../../../../core/timeline/draw.ts'
import { describeFrame } from '../../../../core/timeline/frame.ts'
import { makeTimeline } from '../../../../core/timeline/timeline.ts'
import type { ResolvedVideo } from '../../../../core/visuals/video/resolved.ts'
import { factsOf, projectOf, videoOf } from '../../project-of.ts'

/** A clip of 100x60 px visible from `begin` to `end`; 10 frames a second, the source has 30. */
const clip = (id: string, begin: number, end: number, changes: Partial<ResolvedVideo> = {}) =>
  videoOf({
    ...{ field: `visuals.${id}`, id, enterBegin: begin, enterEnd: begin, exitBegin: end },
    ...{ exitEnd: end, x: 0, y: 0, width: 100, height: 60 },
    ...changes,
  })

const timelineOf = (...visuals: ResolvedVideo[]) =>
  makeTimeline(projectOf({ duration: 6, visuals }), factsOf())

/**
 * Describes a frame, bottom first: `1` = frame 1 of a clip, `fade 0.4 (12>0)` = a transition
 * between frames.
 */
function shownAt(timeline: ReturnType<typeof timelineOf>, n: number): string {
  const words = (command: DrawCommand): string => {
    if (command.op === 'fill') return ''
    if (command.op === 'picture') {
      return command.pixels.kind === 'clip' ? `${command.pixels.frame}` : 'picture'
    }
    const side = (commands: readonly DrawCommand[]) => commands.map(words).join(' ')
    return `${command.name} ${command.progress} (${side(command.from)}>${side(command.to)})`
  }
  return describeFrame(timeline, n).commands.map(words).join(' ').trim()
}

const fading = { transition: 'fade', transitionDuration: 1 } as const

test('a clip leads into the adjoining one and plays until replaced', (t) => {
  const timeline = timelineOf(clip('a', 0, 2, { ...fading, transitionId: 'b' }), clip('b', 2, 5))
  t.is(shownAt(timeline, 19), '57')
  t.is(shownAt(timeline, 20), 'fade 0 (60>0)')
  t.is(shownAt(timeline, 24), 'fade 0.4 (72>12)')
  t.is(shownAt(timeline, 29), 'fade 0.9 (87>27)')
  t.is(shownAt(timeline, 30), '30')
})

test('a link of overlapping clips begins with the second one', (t) => {
  const timeline = timelineOf(
    clip('a', 0, 5, { ...fading, transitionId: 'b' }),
    clip('b', 2, 5, { track: 1 }),
  )
  t.is(shownAt(timeline, 25), 'fade 0.5 (75>15)')
  t.is(shownAt(timeline, 30), '30')
})

test('linked clips are painted once, on the upper track', (t) => {
  const middle = clip('m', 0, 6, { track: 1, width: 10 })
  for (const [trackA, trackB] of [
    [0, 2],
    [2, 0],
  ]) {
    const timeline = timelineOf(
      clip('a', 0, 2, { ...fading, transitionId: 'b', track: trackA ?? 0 }),
      clip('b', 2, 5, { track: trackB ?? 0 }),
      middle,
    )
    t.is(shownAt(timeline, 24), '72 fade 0.4 (72>12)')
  }
})

test('a linked clip’s exit does not play, any other clip’s does', (t) => {
  const exit = { exitBegin: 1, exitAnimation: 'wipeleft' } as const
  const linked = timelineOf(
    clip('a', 0, 2, { ...fading, ...exit, transitionId: 'b' }),
    clip('b', 2, 5),
  )
  t.is(shownAt(linked, 15), '45')
  const cut = timelineOf(
    clip('a', 0, 2, { ...fading, ...exit, transitionId: 'none' }),
    clip('b', 2, 5),
  )
  t.is(shownAt(cut, 15), 'wipeleft 0.5 (45>)')
  t.is(shownAt(cut, 20), '0')
})

test('a clip without a transitionId links to the adjoining one only', (t) => {
  const next = timelineOf(clip('a', 0, 2, fading), clip('b', 2, 5))
  t.is(shownAt(next, 24), 'fade 0.4 (72>12)')
  for (const [what, into] of [
    ['a gap', clip('b', 2.5, 5)],
    ['the same moment', clip('b', 0, 5)],
    ['an earlier clip', clip('b', 0, 1)],
  ] as const) {
    const timeline = timelineOf(clip('a', 0, 2, fading), into)
    t.true(
      timeline.elements.every(({ link }) => link === undefined),
      what,
    )
  }
  for (const changes of [
    { ...fading, transitionId: 'nobody' },
    { ...fading, transitionId: 'a' },
    { ...fading, transitionDuration: 0 },
    { transition: null },
  ]) {
    const timeline = timelineOf(clip('a', 0, 2, changes), clip('b', 2, 5))
    t.true(
      timeline.elements.every(({ link }) => link === undefined),
      JSON.stringify(changes),
    )
  }
})

test('a link in a chain ends before the next one begins', (t) => {
  const timeline = timelineOf(
    clip('a', 0, 2, { ...fading, transitionDuration: 3 }),
    clip('b', 2, 3, fading),
    clip('c', 3, 6),
  )
  t.is(shownAt(timeline, 25), 'fade 0.5 (75>15)')
  t.is(shownAt(timeline, 30), 'fade 0 (30>0)')
  t.is(shownAt(timeline, 40), '30')
})

test('the box of a link holds both clips', (t) => {
  const timeline = timelineOf(
    clip('a', 0, 2, { ...fading, x: 10, y: 10, width: 20, height: 10 }),
    clip('b', 2, 5, { x: 50, y: 5, width: 20, height: 30 }),
  )
  const command = describeFrame(timeline, 24).commands.at(-1)
  t.deepEqual(command?.op === 'transition' && command.box, [10, 5, 60, 30])
})
