import test from 'ava'
import { type RenderingTask, statesOfSegments } from '../../../core/jobs/segment-states.ts'

const task = (
  state: RenderingTask['state'],
  segments: RenderingTask['segments'],
  written: number[] = [],
): RenderingTask => ({ state, segments, written: new Set(written) })

const states = (
  fingerprints: string,
  tasks: readonly RenderingTask[],
  { awaited = '', isOpen = true } = {},
) =>
  statesOfSegments({
    ...{ fingerprints: [...fingerprints], tasks, awaited: new Set(awaited), isOpen },
  })

test('segments follow the task that renders them', (t) => {
  const tasks = [task('completed', [0]), task('leased', [1, 2], [1]), task('queued', [3])]
  t.deepEqual(states('abcd', tasks), ['done', 'done', 'rendering', 'waiting'])
})

test('a segment without a task was in the store', (t) => {
  t.deepEqual(states('ab', [task('leased', [1])]), ['reused', 'rendering'])
  t.deepEqual(states('ab', []), ['reused', 'reused'])
})

test('a segment equal to a rendered one is repeated', (t) => {
  t.deepEqual(states('aba', [task('leased', [0, 1])]), ['rendering', 'rendering', 'repeated'])
})

test('a segment of another job waits, until the job has ended', (t) => {
  const tasks = [task('leased', [0])]
  t.deepEqual(states('ab', tasks, { awaited: 'b' }), ['rendering', 'waiting'])
  t.deepEqual(states('ab', [task('completed', [0])], { awaited: 'b', isOpen: false }), [
    'done',
    'reused',
  ])
})

test('a task for the whole film counts for every segment', (t) => {
  t.deepEqual(states('aa', [task('leased', 'all')]), ['rendering', 'rendering'])
  t.deepEqual(states('aa', [task('completed', 'all')]), ['done', 'done'])
})

test('a task that ended without a result leaves its segments waiting', (t) => {
  t.deepEqual(states('ab', [task('failed', [0]), task('cancelled', [1])]), ['waiting', 'waiting'])
})
