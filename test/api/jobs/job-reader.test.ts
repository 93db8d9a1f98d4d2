import test from 'ava'
import { pino } from 'pino'
import { JobReader } from '../../../api/jobs/job-reader.ts'
import { settleJob } from '../../../store/db/jobs/settle-jobs.ts'
import { type Gateway, renderPath, requestOf, startGateway } from '../gateway.ts'

let gateway: Gateway

test.before(async () => {
  gateway = await startGateway()
})
test.after.always(() => gateway?.stop())

/** A reader that answers an open job once an hour, and an ended one at once. */
function patientReader(t: { teardown(stop: () => Promise<void>): void }) {
  const { accountDatabases } = gateway.context
  const log = pino({ level: 'silent' })
  const pauses = { msEach: 0, leastMs: 3_600_000, mostMs: 3_600_000 }
  const reader = new JobReader({ accountDatabases, databaseUrl: gateway.databaseUrl, log, pauses })
  t.teardown(() => reader.stop())
  return reader
}

async function openJob() {
  const customer = await gateway.customer()
  const { jobId } = (await customer.post(renderPath, requestOf())).json()
  return { accountId: customer.accountId, jobId }
}

test('polling an open job is answered when it ends', async (t) => {
  const reader = patientReader(t)
  const job = await openJob()
  const answers: (string | undefined)[] = []
  const ended = (async () => {
    do answers.push((await reader.read(job))?.state)
    while (answers.at(-1) === 'queued')
  })()
  await openJob()
  const error = { code: 'internal', message: 'A test', details: [] } as const
  await settleJob(gateway.db, { ...job, reason: 'test', settlement: { to: 'failed', error } })
  await ended
  t.is(answers.at(-1), 'failed')
  // Answers at once the first time, and once when it begins to listen: earlier notifications are
  // lost.
  t.true(answers.length <= 3, answers.join())
})

test('an end is reported at once even if no poller waited', async (t) => {
  const reader = patientReader(t)
  const [ended, watched] = [await openJob(), await openJob()]
  // The second answer comes when the reader listens.
  for (let i = 0; i < 2; i += 1) await reader.read(watched)
  t.like(await reader.read(ended), { state: 'queued' })
  const end = reader.read(watched)
  const error = { code: 'internal', message: 'A test', details: [] } as const
  for (const job of [ended, watched]) {
    await settleJob(gateway.db, { ...job, reason: 'test', settlement: { to: 'failed', error } })
  }
  t.like(await end, { state: 'failed' })
  t.like(await reader.read(ended), { state: 'failed' })
})

test('first reads are answered at once, each with its own job', async (t) => {
  const reader = patientReader(t)
  const jobs = await Promise.all(Array.from({ length: 20 }, openJob))
  const seen = await Promise.all(jobs.map((job) => reader.read(job)))
  t.deepEqual(
    seen.map((job) => job?.id),
    jobs.map(({ jobId }) => jobId),
  )
})

test('another account’s job is never found, however often it is polled', async (t) => {
  const reader = patientReader(t)
  const { jobId } = await openJob()
  const { accountId } = await openJob()
  for (let i = 0; i < 3; i += 1) t.is(await reader.read({ accountId, jobId }), undefined)
})

test('a reader that stops answers its waiters', async (t) => {
  const reader = patientReader(t)
  const job = await openJob()
  await reader.read(job)
  const again = reader.read(job)
  await reader.stop()
  t.like(await again, { state: 'queued' })
})
