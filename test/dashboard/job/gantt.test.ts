import test from 'ava'
import fc from 'fast-check'
import type { JobTimeline as Timeline } from '../../../client/jobs.ts'
import type { Bar } from '../../../dashboard/src/gantt/bars.ts'
import { barsMost, layOut } from '../../../dashboard/src/gantt/layout.ts'

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
const task = (id: string, more: Partial<Timeline['tasks'][number]> = {}) => ({
  ...{ id, kind: 'render' as const, segments: [0, 1, 2], state: 'leased' as const },
  queuedAt: at(0),
  ...more,
})
const timeline = (attempts: Timeline['attempts']): Timeline => ({
  ...{ stages: [], segments: [], attempts },
  job: { createdAt: at(0), startedAt: at(0), endedAt: null },
  tasks: [task('a')],
})
const bars = (told: ReturnType<typeof layOut>) => told.rows.flatMap((row) => row.bars)

test('a lost attempt and its successor stand on their machines', (t) => {
  const lost = { state: 'lost', reason: 'the node is silent' } as const
  const again = 'render 0 to 2 on machine 2, attempt 2: completed, 6.0 s'
  const other = { number: 2, machine: 'machine 2' }
  const { rows } = layOut(timeline([attempt(0, 4, lost), attempt(4, 10, other)]), start)
  t.deepEqual(
    rows.map(({ name, bars }) => [name, bars.map(({ tone, words }) => [tone, words])]),
    [
      ['machine 1', [['bad', 'render 0 to 2 on machine 1: lost, 4.0 s: the node is silent']]],
      ['machine 2', [['good', `${again}; attempt 1 was lost: the node is silent`]]],
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

test('a retry and a twin are outlined and say why', (t) => {
  const lost = attempt(0, 4, { state: 'failed', reason: 'No disk space left' })
  const slow = attempt(5, 9, { number: 2, state: 'superseded' })
  const twin = attempt(7, 8, { number: 3, machine: 'machine 2' })
  const shown = bars(layOut(timeline([lost, slow, twin]), start)).filter(isAttempt)
  t.deepEqual(
    shown.map(({ outline }) => outline),
    [undefined, 'retry', 'twin'],
  )
  t.regex(shown[1]?.words ?? '', /; attempt 1 failed: No disk space left$/)
  t.regex(shown[2]?.words ?? '', /; beside attempt 2, which was slow$/)
})

test('waits are gaps before the attempt that ended them', (t) => {
  const first = attempt(2, 4)
  const second = attempt(6, 10, { taskId: 'b' })
  const told = { ...timeline([first, second]), tasks: [task('a'), task('b', { queuedAt: at(3) })] }
  const { rows } = layOut(
    { ...told, stages: [{ name: 'render', begun: at(0), ended: at(10) }] },
    start,
  )
  const [machine] = rows.slice(1)
  t.deepEqual(
    machine?.bars.map(({ tone, from, to }) => [tone, from, to]),
    [
      ['waiting', 0, 0.2],
      ['good', 0.2, 0.4],
      // Task b waited from second 3 on, while this machine was busy.
      ['waiting', 0.4, 0.6],
      ['good', 0.6, 1],
    ],
  )
  t.is(machine?.bars[2]?.words, 'render 0 to 2 waited 3.0 s for machine 1')
})

test('queued tasks wait until now in a row of their own', (t) => {
  const tasks = [task('a'), task('b', { state: 'queued', queuedAt: at(1) })]
  const { rows } = layOut({ ...timeline([attempt(0, null)]), tasks }, start + 5000)
  const last = rows.at(-1)
  t.is(last?.name, 'waiting')
  t.like(last?.bars[0], { tone: 'waiting', from: 0.2, to: 1 })
  t.is(last?.bars[0]?.words, '1 task waits for a machine, the first for 4.0 s')
})

test('the time before the first stage is a wait', (t) => {
  const stages = [{ name: 'resolve' as const, begun: at(3), ended: at(4) }]
  const [row] = layOut({ ...timeline([]), stages }, start).rows
  t.deepEqual(
    row?.bars.map(({ tone, words }) => [tone, words]),
    [
      ['waiting', 'waiting: 3.0 s before the first stage'],
      ['stage', 'resolve: 1.0 s'],
    ],
  )
})

const isAttempt = ({ tone }: Bar) => tone !== 'waiting' && tone !== 'stage'

const anyAttempts = (most: number) =>
  fc.array(
    fc
      .record({
        from: fc.nat(5000),
        length: fc.nat(500),
        taskId: fc.constantFrom('a', 'b', 'c', 'd'),
        machine: fc.nat(3).map((n) => `machine ${n}`),
      })
      .map(({ from, length, ...more }) => attempt(from, from + length, more)),
    { minLength: 1, maxLength: most },
  )

test('bars lie within the chart, and none covers another', (t) => {
  const tasks = ['a', 'b', 'c', 'd'].map((id, i) => task(id, { queuedAt: at(1000 * i) }))
  fc.assert(
    fc.property(anyAttempts(30), (attempts) => {
      const { rows } = layOut({ ...timeline(attempts), tasks }, start)
      const all = rows.flatMap((row) => row.bars)
      t.true(all.every(({ from, to }) => from >= 0 && to <= 1 + 1e-9 && from <= to))
      t.is(all.filter(isAttempt).length, attempts.length)
      for (const row of rows) {
        for (const [i, bar] of row.bars.slice(1).entries())
          t.true((row.bars[i]?.to ?? 0) <= bar.from)
      }
    }),
  )
})

test('too many attempts are summed up by machine, none of them lost', (t) => {
  const many = fc
    .tuple(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 40 }))
    .map(([machines, apart]) =>
      Array.from({ length: barsMost + 1 }, (_, i) =>
        attempt(i * apart, i * apart + 1, {
          ...{ taskId: `t${i}`, machine: `machine ${(i % machines) + 1}` },
          state: i % 50 === 0 ? 'lost' : 'completed',
        }),
      ),
    )
  fc.assert(
    fc.property(many, (attempts) => {
      const { rows, isSummary } = layOut({ ...timeline(attempts), tasks: [] }, start)
      t.true(isSummary)
      t.true(rows.flatMap((row) => row.bars).length <= barsMost)
      t.true(rows.length <= 101)
      const counted = rows.map(({ bars }) => Number(bars[0]?.words.match(/(\d+) attempts/)?.[1]))
      t.is(
        counted.reduce((sum, each) => sum + each, 0),
        barsMost + 1,
      )
    }),
    { numRuns: 20 },
  )
  t.false(layOut(timeline([attempt(0, 1)]), start).isSummary)
})
