import test from 'ava'
import fc from 'fast-check'
import { explainedLines } from '../../../core/jobs/explained-lines.ts'
import { explainTimes, type SpentTask } from '../../../core/jobs/explained-times.ts'
import { type JobStage, jobStages } from '../../../core/jobs/jobs.ts'

const task = (more: Partial<SpentTask>): SpentTask => ({
  ...{ kind: 'render', field: null, seconds: null, slowFrames: null, attempts: [] },
  ...more,
})
/** `stages`: seconds at which each was entered. */
const clockOf = (stages: Partial<Record<JobStage, number>>, seconds: number) => ({
  seconds,
  entered: jobStages.flatMap((name) => {
    const at = stages[name]
    return at === undefined ? [] : [{ name, at }]
  }),
})
const explained = (
  stages: Partial<Record<JobStage, number>>,
  { seconds = 10, tasks = [] }: { seconds?: number; tasks?: SpentTask[] },
) => explainTimes({ clock: clockOf(stages, seconds), tasks })

test('stages add up to the time of the job', (t) => {
  const times = fc.uniqueArray(fc.nat(10_000), { minLength: 7, maxLength: 7 })
  fc.assert(
    fc.property(times, fc.nat(5_000), (some, more) => {
      const sorted = some.toSorted((a, b) => a - b)
      const stages = Object.fromEntries(jobStages.map((name, i) => [name, sorted[i] ?? 0]))
      const end = (sorted.at(-1) ?? 0) + more
      const { stages: told, seconds } = explained(stages, { seconds: end })
      t.is(seconds, end)
      t.true(Math.abs(told.reduce((sum, each) => sum + each.seconds, 0) - end) < 0.01)
      t.true(told.every(({ share }) => share >= 0 && share <= 1))
      t.deepEqual(
        told.map(({ name }) => name),
        ['queue', ...jobStages],
      )
    }),
  )
})

test('steps of all tasks add up, the longest first', (t) => {
  const { steps } = explained(
    {},
    {
      tasks: [
        task({ seconds: { encode: 2, clips: 3, segments: 5 } }),
        task({ seconds: { encode: 2.5 } }),
      ],
    },
  )
  t.deepEqual(
    steps.map(({ name, label, seconds, share }) => [name, label, seconds, share]),
    [
      ['encode', 'encoding', 4.5, 0.6],
      ['clips', 'decoding clips', 3, 0.4],
    ],
  )
})

test('nothing that a node may report breaks an explanation', (t) => {
  fc.assert(
    fc.property(fc.anything(), fc.anything(), (seconds, slowFrames) => {
      const { steps, slowFrames: frames } = explained(
        {},
        { tasks: [task({ seconds, slowFrames })] },
      )
      t.deepEqual([steps, frames], [[], []])
    }),
  )
  const wrong = { seconds: { constructor: 5, encode: -1 }, slowFrames: [{ frame: -1 }] }
  t.like(explained({}, { tasks: [task(wrong)] }), { steps: [], slowFrames: [] })
})

test('the slowest frames of all tasks are told with their elements', (t) => {
  const slow = (frame: number, paint: number) => ({ frame, paint, sources: 1, encode: 2 })
  const tasks = [
    task({ slowFrames: [slow(1, 50), slow(2, 40)] }),
    task({ slowFrames: [slow(7, 90), slow(8, 10)] }),
    task({
      ...{ kind: 'ingest', field: 'visuals[0].src' },
      attempts: [
        { state: 'failed', seconds: 3 },
        { state: 'completed', seconds: 1 },
      ],
    }),
  ]
  const times = explainTimes({
    ...{ clock: clockOf({ render: 1 }, 10), tasks },
    describe: (frame) => ({ second: frame / 10, elements: ['visuals[0]', `visuals[${frame}]`] }),
  })
  t.deepEqual(
    times.slowFrames.map(({ frame, second, milliseconds }) => [frame, second, milliseconds]),
    [
      [7, 0.7, 93],
      [1, 0.1, 53],
      [2, 0.2, 43],
    ],
  )
  t.is(times.againSeconds, 3)
  t.deepEqual(times.slowElements[0], { field: 'visuals[0]', fetchSeconds: 4, slowFrames: 3 })
  t.deepEqual(times.slowElements[1], { field: 'visuals[7]', fetchSeconds: null, slowFrames: 1 })
  const lines = explainedLines(times)
  t.true(lines.includes('  frame 7 at 0.7 s: 93 ms, mostly painting'), lines.join('\n'))
  t.true(lines.includes('  visuals[0]: fetched in 4.0 s, in 3 of the slowest frames'))
  t.is(lines.at(-1), times.advice)
})

test('the advice names what costs most', (t) => {
  const advice = (stages: Partial<Record<JobStage, number>>, tasks: SpentTask[] = []) =>
    explained(stages, { tasks }).advice
  t.regex(advice({ resolve: 9 }), /waited 90 % .* for its turn/)
  const slow = { kind: 'ingest', field: 'audios[1].src' } as const
  const fetched = task({ ...slow, attempts: [{ state: 'completed', seconds: 8 }] })
  t.regex(
    advice({ ingest: 1, render: 9 }, [fetched]),
    /Fetching media took 80 %.*audios\[1\] took longest, 8\.0 s/,
  )
  const clips = task({ seconds: { clips: 8, encode: 2 } })
  t.regex(advice({ render: 1 }, [clips]), /decoding clips took 80 %/)
  const lost = task({ attempts: [{ state: 'lost', seconds: 5 }] })
  t.regex(advice({ render: 1 }, [lost]), /^5\.0 s of work were done again/)
  t.regex(advice({ bake: 1 }), /shorter customCode/)
  t.is(explained({}, { seconds: 1 }).advice, 'Nothing stands out: the job took seconds.')
})
