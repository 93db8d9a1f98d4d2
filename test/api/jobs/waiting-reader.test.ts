import test from 'ava'
import { WaitingReader } from '../../../api/jobs/waiting-reader.ts'
import type { Waiting } from '../../../core/queue/waiting.ts'

const waiting = { reason: 'turn', message: 'others come first' } as unknown as Waiting
const job = {
  ...{ id: 'job-0', state: 'queued' as const, stage: null, finishedAt: null },
  frames: { total: 0, done: 0, reused: 0, painted: 0 } as never,
}

function counting() {
  const asked = { times: 0 }
  return {
    asked,
    by: (accountId: string) => ({
      accountId,
      async explain() {
        asked.times += 1
        return waiting
      },
    }),
  }
}

test('polling many jobs repeats cached explanations', async (t) => {
  const reader = new WaitingReader()
  const { asked, by } = counting()
  const jobs = Array.from({ length: 200 }, (_, i) => ({ ...job, id: `job-${i}` }))
  for (let round = 0; round < 3; round++) {
    for (const each of jobs) t.is(await reader.read(each, by('one')), waiting)
  }
  t.is(asked.times, jobs.length)
})

test('a job that moved on is explained anew, an ended one never', async (t) => {
  const reader = new WaitingReader()
  const { asked, by } = counting()
  for (let i = 0; i < 200; i++) await reader.read({ ...job, id: `other-${i}` }, by('one'))
  await reader.read(job, by('one'))
  await reader.read({ ...job, state: 'resolving', stage: 'resolve' }, by('one'))
  t.is(asked.times, 202)
  t.is(await reader.read({ ...job, state: 'completed', finishedAt: new Date() }, by('one')), null)
  t.is(asked.times, 202)
})

test('a cached explanation is never shared between accounts', async (t) => {
  const reader = new WaitingReader()
  const { asked, by } = counting()
  for (let i = 0; i < 200; i++) await reader.read({ ...job, id: `job-${i}` }, by('one'))
  await reader.read(job, by('other'))
  t.is(asked.times, 201)
})

test('a failed explanation is computed again', async (t) => {
  const reader = new WaitingReader()
  const { asked, by } = counting()
  const failing = async () => {
    throw new Error('the database is away')
  }
  await t.throwsAsync(reader.read(job, { accountId: 'one', explain: failing }))
  t.is(await reader.read(job, by('one')), waiting)
  t.is(asked.times, 1)
})
