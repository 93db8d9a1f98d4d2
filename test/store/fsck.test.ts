import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import test from 'ava'
import { sql } from 'kysely'
import { openPatientDatabase } from '../../cli/fleet/fsck.ts'
import { settleJob } from '../../store/db/jobs/settle-jobs.ts'
import { leaseTasks } from '../../store/db/queue/lease-tasks.ts'
import { checkStore } from '../../store/fsck.ts'
import { isMendable, mendStore } from '../../store/mend.ts'
import { planKey } from '../../store/objects/job-keys.ts'
import { taskOutputKey } from '../../store/objects/keys.ts'
import { openObjectStore } from '../../store/objects/open.ts'
import { addAccount, addJob, addNode, addTask, completeTask, startDatabase } from './database.ts'
import { enterStage, putArtifact } from './db/jobs/one-job.ts'

const home = mkdtempSync(join(tmpdir(), 'farm-test-'))
const { db, url, stop } = await startDatabase()
const settings = { publicUrl: 'https://farm.example.com', secret: 'a secret of the tests' }
const objects = openObjectStore(pathToFileURL(join(home, 'objects')), settings)
await objects.prepare()
test.after.always(async () => {
  await stop()
  rmSync(home, { recursive: true, force: true })
})

const afterAnHour = { now: Date.now() + 2 * 3_600_000 }
const restored = { isRestored: true }
const digest = () => randomUUID().replaceAll('-', '').repeat(2)
const result = { duration: 2, size: 4, width: 320, height: 180, format: 'mp4' as const }
const links = { url: 'https://example.com/', thumbnailUrl: null }

/** A job whose one task has been done, with its objects; `isOpen`: it is not settled yet. */
async function renderedJob({ isOpen = false } = {}) {
  const accountId = await addAccount(db)
  const job = { accountId, jobId: await addJob(db, accountId) }
  const outputs = ['segment-0', 'output', 'thumbnail']
  await enterStage(db, { ...job, stage: 'resolve' })
  const inputs = [{ name: 'plan', key: planKey(job) }]
  await addTask(db, { ...job, kind: job.jobId as 'render', inputs, outputs })
  const nodeId = await addNode(db, { kinds: [job.jobId] })
  const wants = [{ nodeId, slots: 1 }]
  const [task] = await leaseTasks(db, { wants, leaseMs: 60_000, nodeLiveMs: 30_000 })
  if (task === undefined) throw new Error('The task must be leased')
  const { id: taskId, attempt } = task
  const key = (name: string) => taskOutputKey({ accountId, taskId, attempt, name })
  for (const name of outputs) await objects.put(key(name), Buffer.from('data'))
  await objects.put(planKey(job), Buffer.from('{}'))
  await completeTask(db, { nodeId, taskId, attempt, result: {} })
  const artifact = { kind: 'segment', digest: digest(), bytes: 4, facts: {} } as const
  await putArtifact(db, { accountId, ...artifact, objectKey: key('segment-0') })
  await enterStage(db, { ...job, stage: 'render', frames: { total: 9, reused: 0, painted: 9 } })
  if (!isOpen) {
    const keys = { outputKey: key('output'), thumbnailKey: key('thumbnail') }
    const settlement = { to: 'completed', result, links, charge: 7, ...keys } as const
    await settleJob(db, { ...job, reason: 'test', settlement })
  }
  return { ...job, key, artifact }
}

/** Findings of a check about one account. */
async function findingsOf(accountId: string) {
  const { missing, stray, ledger } = await checkStore(db, objects, afterAnHour)
  return {
    missing: missing
      .filter((row) => row.accountId === accountId)
      .map(({ of, name, fault }) => `${of} ${name} ${fault}`)
      .toSorted(),
    stray: stray.filter((row) => row.accountId === accountId).map(({ key }) => key),
    ledger: ledger.filter((row) => row.accountId === accountId),
  }
}

const nothing = { missing: [], stray: [], ledger: [] }

test.serial('a farm without damage has no findings', async (t) => {
  const done = await renderedJob()
  const open = await renderedJob({ isOpen: true })
  const report = await checkStore(db, objects, afterAnHour)
  t.like(report, { accounts: 2, objects: 8, missing: [], stray: [], ledger: [] })
  t.true(isMendable(report, restored))
  t.deepEqual(await findingsOf(done.accountId), nothing)
  t.deepEqual(await findingsOf(open.accountId), nothing)
})

test.serial('an artifact without its object is forgotten', async (t) => {
  const { accountId, key } = await renderedJob()
  await objects.remove([key('segment-0')])
  t.deepEqual(await findingsOf(accountId), { ...nothing, missing: ['artifact segment missing'] })
  t.is(
    (await db.selectFrom('artifacts').selectAll().where('account_id', '=', accountId).execute())
      .length,
    1,
  )
  const report = await checkStore(db, objects, afterAnHour)
  t.like(await mendStore(db, report, restored), { artifacts: 1, jobs: 0, objects: 0 })
  t.deepEqual(await findingsOf(accountId), nothing)
})

test.serial('an object of another size than recorded is a finding', async (t) => {
  const { accountId, key } = await renderedJob()
  await objects.put(key('output'), Buffer.from('half'.slice(2)))
  await objects.put(key('segment-0'), Buffer.alloc(0))
  t.deepEqual((await findingsOf(accountId)).missing, [
    'artifact segment of another size',
    'file output of another size',
  ])
  await mendStore(db, await checkStore(db, objects, afterAnHour), restored)
  await objects.put(key('output'), Buffer.from('data'))
})

test.serial('a lost output is reported by job and account, and stays', async (t) => {
  const { accountId, jobId, key } = await renderedJob()
  await objects.remove([key('output'), key('thumbnail')])
  const report = await checkStore(db, objects, afterAnHour)
  const lost = report.missing.filter((row) => row.accountId === accountId)
  t.deepEqual(lost.map(({ of, id, name }) => [of, id, name]).toSorted(), [
    ['file', jobId, 'output'],
    ['file', jobId, 'thumbnail'],
  ])
  t.false(isMendable(report, restored))
  await mendStore(db, report, restored)
  t.is((await findingsOf(accountId)).missing.length, 2)
  await objects.put(key('output'), Buffer.from('data'))
  await objects.put(key('thumbnail'), Buffer.from('data'))
})

test.serial('an open job that lost its work begins again', async (t) => {
  const { accountId, jobId, key } = await renderedJob({ isOpen: true })
  await objects.remove([key('segment-0')])
  const report = await checkStore(db, objects, afterAnHour)
  t.deepEqual((await findingsOf(accountId)).missing, [
    'artifact segment missing',
    `open job ${report.missing.find(({ of }) => of === 'open job')?.name} missing`,
  ])
  t.like(await mendStore(db, report, { isRestored: false }), { artifacts: 1, jobs: 0 })
  const tasks = () => db.selectFrom('tasks').selectAll().where('job_id', '=', jobId).execute()
  t.is((await tasks()).length, 1)
  t.like(await mendStore(db, report, restored), { jobs: 1 })
  t.is((await tasks()).length, 0)
  t.deepEqual((await findingsOf(accountId)).missing, [])
})

test.serial('an open job that a node works at is left alone', async (t) => {
  const accountId = await addAccount(db)
  const job = { accountId, jobId: await addJob(db, accountId) }
  await addTask(db, {
    ...job,
    kind: job.jobId as 'render',
    inputs: [{ name: 'plan', key: planKey(job) }],
  })
  const nodeId = await addNode(db, { kinds: [job.jobId] })
  await leaseTasks(db, { wants: [{ nodeId, slots: 1 }], leaseMs: 60_000, nodeLiveMs: 30_000 })
  const report = await checkStore(db, objects, afterAnHour)
  t.is(report.missing.filter(({ id }) => id === job.jobId).length, 1)
  t.like(await mendStore(db, report, restored), { jobs: 0 })
  await objects.put(planKey(job), Buffer.from('{}'))
})

test.serial('objects without a row are removed, unless they are young', async (t) => {
  const { accountId, jobId, key } = await renderedJob()
  const gone = `accounts/${accountId}/jobs/${randomUUID()}/plan.json`
  const nobody = `accounts/${randomUUID()}/tasks/${randomUUID()}/1/output`
  const doomed = `accounts/${accountId}/tasks/${randomUUID()}/1/output`
  for (const each of [gone, nobody, doomed]) await objects.put(each, Buffer.from('stray'))
  await sql`insert into doomed_objects values
    (${doomed.replace(/output$/, '')}, now())`.execute(db)
  t.deepEqual((await checkStore(db, objects)).stray, [], 'an hour must pass')
  t.deepEqual((await findingsOf(accountId)).stray, [gone])
  const report = await checkStore(db, objects, afterAnHour)
  t.deepEqual(report.stray.map((object) => object.key).toSorted(), [gone, nobody].toSorted())
  t.like(await mendStore(db, report, restored), { objects: 2 })
  const { rows } = await sql<{ key: string }>`
    select object_key as key from doomed_objects where object_key = any(${[gone, nobody]})`.execute(
    db,
  )
  t.is(rows.length, 2)
  t.deepEqual((await checkStore(db, objects, afterAnHour)).stray, [])
  t.not(await objects.stat(key('output')), undefined)
  t.not(await objects.stat(planKey({ accountId, jobId })), undefined)
})

test.serial('a ledger that does not balance is reported, never changed', async (t) => {
  const one = await renderedJob()
  const two = await renderedJob()
  await sql`update accounts set credits_balance = credits_balance + 5
    where id = ${one.accountId}`.execute(db)
  await sql`update jobs set credits_charged = credits_charged + 1 where id = ${two.jobId}`.execute(
    db,
  )
  const report = await checkStore(db, objects, afterAnHour)
  t.deepEqual(
    report.ledger.map(({ accountId, jobId }) => [accountId, jobId]).toSorted(),
    [
      [one.accountId, null],
      [two.accountId, two.jobId],
    ].toSorted(),
  )
  t.regex(report.ledger.map(({ fault }) => fault).join(), /7 captured and 3 released/)
  t.false(isMendable(report, restored))
  await mendStore(db, report, restored)
  t.is((await checkStore(db, objects, afterAnHour)).ledger.length, 2)
})

test.serial('the ledger is reported before any object is listed', async (t) => {
  const told: string[] = []
  const seen = {
    stat: (key: string) => objects.stat(key),
    list(prefix: string) {
      told.push('objects')
      return objects.list(prefix)
    },
  }
  await checkStore(db, seen, { onLedger: () => void told.push('ledger') })
  t.deepEqual(told, ['ledger', 'objects'])
})

test('a large ledger is checked without a time limit', async (t) => {
  const patient = openPatientDatabase(url)
  t.teardown(() => patient.destroy())
  const { rows } = await sql<{ statement_timeout: string }>`show statement_timeout`.execute(patient)
  t.is(rows[0]?.statement_timeout, '0')
})
