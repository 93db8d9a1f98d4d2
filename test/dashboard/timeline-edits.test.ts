import test from 'ava'
import fc from 'fast-check'
import { edited } from '../../dashboard/src/editor/edits.ts'
import { judge } from '../../dashboard/src/editor/judge.ts'
import { type Grip, gripsOf, moved, timeEdits } from '../../dashboard/src/editor/timeline-edits.ts'
import { barsOf } from '../../dashboard/src/editor/timeline-layout.ts'

const frameRate = 30

const film = {
  variables: { late: 1 },
  scenes: [
    {
      duration: 2,
      visuals: [
        { type: 'TEXT', text: 'a', enterBegin: 0.5, enterEnd: 0.8, enterAnimation: 'fade' },
      ],
    },
    {
      duration: 3,
      visuals: [
        { type: 'TEXT', text: 'b' },
        { type: 'TEXT', text: 'c', enterBegin: '{{ late }}', enterEnd: '{{ late }}' },
      ],
    },
  ],
  audios: [{ src: 'https://cdn.example.com/a.mp3', enter: 1, exit: 4 }],
}

function outlineOf(text: string) {
  const asked = { variables: {}, overrides: {}, plan: 'free', trustedHosts: [] } as const
  const { outline, found } = judge({ ...asked, text })
  if (!outline) throw new Error(JSON.stringify(found))
  return outline
}

/** Moves the bar of a field in a text, and returns the new text; undefined where it cannot be. */
function move(text: string, field: string, grip: Grip, seconds: number): string | undefined {
  const bar = barsOf(outlineOf(text)).find((each) => each.field === field)
  if (!bar) throw new Error(`no bar of ${field}`)
  const next = moved(bar, { grip, seconds, frameRate })
  const edits = timeEdits(text, JSON.parse(text), { bar, next })
  return edits?.toReversed().reduce(edited, text)
}

const text = JSON.stringify(film, null, 2)
const visual = (changed: string | undefined, scene: number, at = 0) =>
  JSON.parse(changed ?? 'null').scenes[scene].visuals[at]

test('a moved element keeps its length and its animation', (t) => {
  const changed = move(text, 'scenes[0].visuals[0]', 'whole', -0.31)
  t.like(visual(changed, 0), { enterBegin: 0.2, enterEnd: 0.5, exitEnd: 1.7 })
  const after = barsOf(outlineOf(changed ?? ''))[1]
  t.true(Math.abs((after?.begin ?? 0) - 0.2) < 1e-6 && Math.abs((after?.end ?? 0) - 1.7) < 1e-6)
})

test('an edge moves alone, to whole frames, within its scene', (t) => {
  t.like(visual(move(text, 'scenes[1].visuals[0]', 'end', -1.01), 1), { exitEnd: 2 })
  t.like(visual(move(text, 'scenes[1].visuals[0]', 'begin', 0.34), 1), { enterBegin: 0.333 })
  t.like(visual(move(text, 'scenes[0].visuals[0]', 'begin', -9), 0), {
    ...{ enterBegin: 0, enterEnd: 0.3 },
  })
  t.like(visual(move(text, 'scenes[0].visuals[0]', 'begin', 9), 0), {
    ...{ enterBegin: 1.967, enterEnd: 2 },
  })
})

test('numbers that stay are not written, and the layout is kept', (t) => {
  const changed = move(text, 'scenes[1].visuals[0]', 'end', -1) ?? ''
  t.is(JSON.stringify(JSON.parse(changed), null, 2), changed)
  t.deepEqual(visual(changed, 1), { type: 'TEXT', text: 'b', exitEnd: 2 })
  const short = JSON.stringify(film)
  t.true(move(short, 'scenes[1].visuals[0]', 'end', -1)?.includes('"text":"b", "exitEnd": 2}'))
})

test('a scene’s edge is its duration, and a sound’s are its times', (t) => {
  const longer = JSON.parse(move(text, 'scenes[0]', 'end', 1.5) ?? '')
  t.is(longer.scenes[0].duration, 3.5)
  const { audios } = JSON.parse(move(text, 'audios[0]', 'whole', 0.5) ?? '')
  t.like(audios[0], { enter: 1.5, exit: 4.5 })
  t.is(JSON.parse(move(text, 'scenes[0]', 'end', -9) ?? '').scenes[0].duration, 0.1)
})

test('times that a variable decides are left alone', (t) => {
  t.is(move(text, 'scenes[1].visuals[1]', 'whole', 1), undefined)
  t.is(move(text, 'scenes[1].visuals[1]', 'begin', 1), undefined)
})

test('whatever is moved, the film stays right and elements in their scenes', (t) => {
  const bars = barsOf(outlineOf(text)).filter((bar) => gripsOf(bar).length > 0)
  const grips = ['whole', 'begin', 'end'] as const
  const act = fc.record({
    bar: fc.constantFrom(...bars),
    grip: fc.constantFrom(...grips),
    seconds: fc.double({ min: -6, max: 6, noNaN: true }),
  })
  fc.assert(
    fc.property(act, ({ bar, grip, seconds }) => {
      const changed = move(text, bar.field, gripsOf(bar).includes(grip) ? grip : 'end', seconds)
      if (changed === undefined) return bar.field === 'scenes[1].visuals[1]'
      const after = barsOf(outlineOf(changed)).find(({ field }) => field === bar.field)
      const { begin = 0, end = 0, within = { begin: 0, end: 0 } } = after ?? {}
      return begin >= within.begin - 1e-6 && end <= within.end + 1e-3 && end > begin
    }),
    { numRuns: 60 },
  )
  t.pass()
})
