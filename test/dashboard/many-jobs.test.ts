import test from 'ava'
import type { Job } from '../../client/farm-client.ts'
import {
  choose,
  countIn,
  everything,
  isChosen,
  nothing,
  sizeOf,
} from '../../dashboard/src/jobs/choice.ts'
import { readColumns, toggleColumn } from '../../dashboard/src/jobs/columns.ts'
import { summaryOf } from '../../dashboard/src/jobs/job-summary.ts'
import { type Run, readAll, runOver } from '../../dashboard/src/jobs/run-over.ts'

const ids = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => String(from + i))
const quiet = { onProgress: () => undefined, signal: new AbortController().signal }

test('an act is done once to each, and refusals are told', async (t) => {
  const acted: string[] = []
  const run = await runOver({
    ...quiet,
    find: async () => ids(0, 20),
    act: async (id) => {
      acted.push(id)
      if (id === '7') throw new Error('It has ended')
    },
  })
  t.deepEqual(acted.toSorted(), ids(0, 20).toSorted())
  t.is(run.done.size, 19)
  t.deepEqual([...run.refused], [['7', 'It has ended']])
  t.is(run.total, 20)
})

test('what left a page while it was read is found later', async (t) => {
  const open = new Set(ids(0, 250))
  const run = await runOver({
    ...quiet,
    // Skips every third, as pages do whose jobs end meanwhile.
    find: async () => [...open].filter((_, i) => open.size < 5 || i % 3 > 0),
    act: async (id) => open.delete(id),
  })
  t.is(open.size, 0)
  t.is(run.done.size, 250)
})

test('a stopped act goes on where it was, and repeats nothing', async (t) => {
  const ending = new AbortController()
  const acted: string[] = []
  const task = {
    find: async () => ids(0, 30),
    act: async (id: string) => {
      acted.push(id)
      if (acted.length === 10) ending.abort()
    },
  }
  const seen: Run[] = []
  const onProgress = (run: Run) => seen.push(run)
  const first = await runOver({ ...task, onProgress, signal: ending.signal })
  t.true(first.done.size >= 10 && first.done.size < 14)
  const all = await runOver({ ...task, ...quiet, from: first })
  t.is(all.done.size, 30)
  t.deepEqual(acted.toSorted(), ids(0, 30).toSorted())
  t.deepEqual(
    seen.map(({ done }) => done.size),
    seen.map((_, i) => i),
  )
})

test('refused things are tried again when the act goes on', async (t) => {
  let isAway = true
  const act = async () => {
    if (isAway) throw new Error('away')
  }
  const task = { ...quiet, find: async () => ids(0, 3), act }
  const first = await runOver(task)
  t.is(first.refused.size, 3)
  isAway = false
  t.is((await runOver({ ...task, from: first })).done.size, 3)
})

test('all pages are read, each job once, though pages overlap', async (t) => {
  const pages = [ids(0, 3), ids(2, 5), ids(5, 6), []]
  const asked: number[] = []
  const read = async (page: number) => {
    asked.push(page)
    return { items: (pages[page - 1] ?? []).map((id) => ({ id })), total: 7 }
  }
  const found = await readAll(read, quiet.signal)
  t.deepEqual(
    found.map(({ id }) => id),
    ids(0, 6),
  )
  t.deepEqual(asked, [1, 2, 3, 4])
})

const job = (id: string, state: Job['state'], more: Partial<Job> = {}) =>
  ({ id, state, name: id, type: 'video', etaSeconds: null, framesPerSecond: null, ...more }) as Job

test('all that match may be chosen, but some', (t) => {
  const [a, b] = [job('a', 'queued'), job('b', 'failed')]
  const one = choose(nothing, a, true)
  t.deepEqual([isChosen(one, 'a'), isChosen(one, 'b'), sizeOf(one, 900)], [true, false, 1])
  const rest = choose(everything, b, false)
  t.deepEqual([isChosen(rest, 'a'), isChosen(rest, 'b'), sizeOf(rest, 900)], [true, false, 899])
  t.is(countIn(rest, ['failed', 'cancelled'], { failed: 4, queued: 896 }), 3)
  t.is(countIn(one, ['failed', 'cancelled'], { failed: 4 }), 0)
  t.is(countIn(one, ['queued'], {}), 1)
  t.is(sizeOf(choose(rest, b, true), 900), 900)
})

test('columns that are kept are known ones, in their order', (t) => {
  t.deepEqual(readColumns('created cost size stage'), ['stage', 'cost', 'created'])
  t.deepEqual(readColumns(''), [])
  t.deepEqual(toggleColumn(['stage', 'created'], 'cost'), ['stage', 'cost', 'created'])
  t.deepEqual(toggleColumn(['stage', 'created'], 'stage'), ['created'])
})

test('a job is told alike from a list and from the stream', (t) => {
  const ts = { created: '2030-01-01T00:00:00Z' } as Job['ts']
  const result = { duration: 75 } as Job['result']
  const listed = job('a', 'completed', { ts, result, creditsReserved: 9, creditsCharged: 4 })
  t.like(summaryOf(listed), { about: 'film, 1 min 15 s', cost: '4', isOpen: false, left: '' })
  const open = job('a', 'rendering', {
    ...{ ts, etaSeconds: 20, framesPerSecond: 59.6, stage: 'render', creditsReserved: 9 },
  })
  const told = { ...open, createdAt: ts.created, credits: 9 }
  t.deepEqual(summaryOf(told), summaryOf(open))
  t.like(summaryOf(open), { about: 'film, 20 s left', pace: '60 /s', stage: 'render', cost: '9' })
  t.is(summaryOf(job('a', 'failed', { ts, failedReason: 'No picture' })).about, 'No picture')
})
