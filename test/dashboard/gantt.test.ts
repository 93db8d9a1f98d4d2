import test from 'ava'
import fc from 'fast-check'
import type { JobTimeline as Timeline } from '../../client/jobs.ts'
import { layOut } from '../../dashboard/src/gantt/layout.ts'

const start = Date.parse('2026-01-01T00:00:00Z')
const at = (seconds: number) => new Date(start + seconds * 1000).toISOString()

type Attempt = Timeline['attempts'][number]

const attempt = (from: number, to: number | null, more: Partial<Attempt> = {}): Attempt => ({
  ...{ taskId: 'a', number: 1, machine: 'machine 1', reason: null, frames: 30 },
  ...{ leasedAt: at(from), startedAt: at(from), endedAt: to === null ? null : at(to) },
  state: to === null ? 'running' : 'completed',
  segments: [0, 1, 2],
  ...more,
})
const timeline = (attempts: Timeline['attempts']): Timeline => ({
  ...{ stages: [], segments: [], attempts },
  job: { createdAt: at(0), startedAt: at(0), endedAt: null },
  tasks: [{ id: 'a', kind: 'render', segments: [0, 1, 2], state: 'leased' }],
})

test('a lost attempt and its successor stand on their machines', (t) => {
  const lost = { state: 'lost', reason: 'the node is silent' } as const
  const again = { number: 2, machine: 'machine 2' }
  const { rows } = layOut(timeline([attempt(0, 4, lost), attempt(4, 10, again)]), start)
  t.deepEqual(
    rows.map(({ name, bars }) => [name, bars.map(({ tone, words }) => [tone, words])]),
    [
      ['machine 1', [['bad', 'render 0 to 2 on machine 1: lost, 4.0 s: the node is silent']]],
      ['machine 2', [['good', 'render 0 to 2 on machine 2, attempt 2: completed, 6.0 s']]],
    ],
  )
})

test('attempts of one machine that overlap stand below each other', (t) => {
  const attempts = [attempt(0, 4), attempt(1, 5, { taskId: 'b' }), attempt(4, 6, { taskId: 'c' })]
  const { rows } = layOut(timeline(attempts), start)
  t.deepEqual(
    rows.map(({ name, bars }) => [name, bars.map(({ key }) => key)]),
    [
      ['machine 1', ['a 1', 'c 1']],
      ['', ['b 1']],
    ],
  )
})

test('an hour in which nothing happens is cut to seconds', (t) => {
  const { seconds, cuts } = layOut(timeline([attempt(0, 4), attempt(3604, 3608)]), start)
  t.is(seconds, 13)
  t.deepEqual(cuts, [{ at: 4 / 13, seconds: 3600 }])
})

test('what goes on ends now', (t) => {
  const { rows, seconds } = layOut(timeline([attempt(0, null)]), start + 7000)
  t.is(seconds, 7)
  t.is(rows[0]?.bars[0]?.to, 1)
})

test('bars lie within the chart, and none covers another', (t) => {
  const span = fc
    .tuple(fc.nat(5000), fc.nat(500))
    .map(([from, length]) => attempt(from, from + length))
  fc.assert(
    fc.property(fc.array(span, { minLength: 1, maxLength: 30 }), (attempts) => {
      const { rows } = layOut(timeline(attempts), start)
      const bars = rows.flatMap((row) => row.bars)
      t.true(bars.every(({ from, to }) => from >= 0 && to <= 1 + 1e-9 && from <= to))
      t.is(bars.length, attempts.length)
      for (const row of rows) {
        for (const [i, bar] of row.bars.slice(1).entries())
          t.true((row.bars[i]?.to ?? 0) <= bar.from)
      }
    }),
  )
})
