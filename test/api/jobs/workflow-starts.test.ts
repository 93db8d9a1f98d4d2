import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { createWorkflowStarts } from '../../../api/jobs/workflow-starts.ts'
import { silent } from '../../store/database.ts'

const jobs = Array.from({ length: 7 }, (_, i) => ({ accountId: 'a', jobId: String(i) }))

test('workflows are started two at a time, and started ones marked together', async (t) => {
  const marked: string[][] = []
  let running = 0
  let most = 0
  const { promise: allMarked, resolve } = Promise.withResolvers<void>()
  const starts = createWorkflowStarts({
    log: silent,
    async start({ jobId }) {
      running += 1
      most = Math.max(most, running)
      await sleep(1)
      running -= 1
      if (jobId === '3') throw new Error('Temporal is away')
    },
    async mark(started) {
      marked.push(started.map(({ jobId }) => jobId))
      if (marked.flat().length === jobs.length - 1) resolve()
    },
  })
  for (const job of jobs) starts.add(job)
  await allMarked
  await starts.stop()
  t.is(most, 2)
  t.deepEqual(marked.flat().toSorted(), ['0', '1', '2', '4', '5', '6'])
  t.true(marked.length < jobs.length - 1, JSON.stringify(marked))
})

test('stopping marks started jobs and leaves waiting ones to the sweeper', async (t) => {
  const started: string[] = []
  let marked: string[] = []
  const starts = createWorkflowStarts({
    log: silent,
    async start({ jobId }) {
      started.push(jobId)
      await sleep(5)
    },
    async mark(given) {
      marked = given.map(({ jobId }) => jobId)
    },
  })
  for (const job of jobs) starts.add(job)
  await starts.stop()
  starts.add({ accountId: 'a', jobId: 'late' })
  t.deepEqual(started, ['0', '1'])
  t.deepEqual(marked, ['0', '1'])
})
