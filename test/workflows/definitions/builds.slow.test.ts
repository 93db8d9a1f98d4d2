import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Client, Connection } from '@temporalio/client'
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker'
import test from 'ava'
import {
  type Build,
  deploymentName,
  listBuilds,
  shouldBeCurrent,
} from '../../../workflows/builds.ts'
import { hashBuild, workflowBundle } from '../../../workflows/bundle.ts'
import { renderJobId } from '../../../workflows/contract.ts'
import { openWorkflows } from '../../../workflows/main.ts'
import { addAccount, silent } from '../../store/database.ts'
import { startPaperNode } from '../paper-node.ts'
import { type Parts, startParts } from '../parts.ts'

const { code } = await workflowBundle(silent)
const first = { code, buildId: 'first' }
/** Its workflows begin with a timer, so it can drive no job that the first one began. */
const second = { code: await changedCode(), buildId: 'second' }
const third = { code, buildId: 'third' }

/** Without them the server looks every three minutes whether a build is drained. */
const temporalSettings = [
  'matching.wv.VersionDrainageStatusVisibilityGracePeriod="1s"',
  'matching.wv.VersionDrainageStatusRefreshInterval="1s"',
]

let parts: Parts
let connection: Connection

test.before(async () => {
  parts = await startParts({ isPinned: true, bundle: first, temporalSettings })
  connection = await Connection.connect(parts.config.temporal.server)
})
test.after.always(async () => {
  await connection?.close()
  await parts?.stop()
})

async function changedCode(): Promise<string> {
  const changed = await bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL('../changed-workflows.ts', import.meta.url)),
    logger: new DefaultLogger('ERROR'),
  })
  return changed.code.replaceAll('HOW IT IS CHANGED', 'unguarded')
}

async function until(isIt: (builds: readonly Build[]) => boolean): Promise<void> {
  while (!isIt((await listBuilds(connection, 'default')) ?? [])) await sleep(100)
}

const untilStatus = (id: string, status: Build['status']) =>
  until((builds) => builds.some((build) => build.id === id && build.status === status))

/** The build that a job's workflow is pinned to. */
async function buildOf(jobId: string): Promise<string | null | undefined> {
  const handle = new Client({ connection }).workflow.getHandle(renderJobId(jobId))
  const { raw } = await handle.describe()
  const { versioningInfo } = raw.workflowExecutionInfo ?? {}
  return versioningInfo?.deploymentVersion?.buildId
}

const film = { width: 100, height: 60, frameRate: 10, duration: 4 }
const moving = (html: string) => ({
  ...film,
  visuals: [{ type: 'TEXT', html, enterEnd: 4, enterAnimation: 'slideleft' }],
})

test.serial('a job stays with its build, new ones go to the next', async (t) => {
  await untilStatus('first', 'current')
  const account = await addAccount(parts.db)
  let isHeld = true
  const node = await startPaperNode({
    ...parts,
    slots: 4,
    answer: ({ jobId, kind }) =>
      isHeld && jobId === older && kind === 'render' ? 'hold' : 'answer',
  })
  t.teardown(() => node.stop())
  const older: string = await parts.submit(account, moving('one'))
  await parts.waitUntil(account, older, ({ frames }) => frames.done > 0)
  t.is(await buildOf(older), 'first')

  const next = await openWorkflows(parts.config, silent, { bundle: second })
  t.teardown(() => next.stop())
  await untilStatus('second', 'current')
  await untilStatus('first', 'draining')
  const newer = await parts.submit(account, moving('two'))
  const done = await parts.waitUntil(account, newer)
  t.is(done.state, 'completed', JSON.stringify(done.error))
  t.is(await buildOf(newer), 'second')

  isHeld = false
  await parts.db
    .updateTable('attempts')
    .set({ expires_at: new Date(0) })
    .where('job_id', '=', older)
    .where('state', '=', 'running')
    .execute()
  const { expireLeases } = await import('../../../store/db/queue/expire-leases.ts')
  await expireLeases(parts.db)
  const late = await parts.waitUntil(account, older)
  t.is(late.state, 'completed', JSON.stringify(late.error))
  t.is(await buildOf(older), 'first')
  await untilStatus('first', 'drained')
})

test.serial('an older build that starts again takes no new jobs', async (t) => {
  await parts.restartWorkflows()
  const account = await addAccount(parts.db)
  const node = await startPaperNode(parts)
  t.teardown(() => node.stop())
  // The second build has ended with its test, but polled a moment ago.
  const next = await openWorkflows(parts.config, silent, { bundle: second })
  t.teardown(() => next.stop())
  const job = await parts.submit(account, moving('three'))
  t.is((await parts.waitUntil(account, job)).state, 'completed')
  t.is(await buildOf(job), 'second')
})

test.serial('jobs go to any process once builds are pinned no more', async (t) => {
  const any = await openWorkflows({ ...parts.config, isPinned: false }, silent, { bundle: first })
  t.teardown(() => any.stop())
  await until((builds) => builds.every(({ status }) => status !== 'current'))
  const account = await addAccount(parts.db)
  const node = await startPaperNode(parts)
  t.teardown(() => node.stop())
  const job = await parts.submit(account, moving('four'))
  const done = await parts.waitUntil(account, job)
  t.is(done.state, 'completed', JSON.stringify(done.error))
  t.falsy(await buildOf(job))

  const later = await openWorkflows(parts.config, silent, { bundle: third })
  t.teardown(() => later.stop())
  await untilStatus('third', 'current')
})

test('the newest build gets new jobs, or the one that is left', (t) => {
  const build = (id: string, more: Partial<Build>): Build => ({
    ...{ id, status: 'inactive', createdAt: 1, isServed: true },
    ...more,
  })
  const old = build('old', { createdAt: 1 })
  const current = build('new', { createdAt: 2, status: 'current' })
  const of = (...builds: Build[]) => ({ builds, changedAt: 0, isUnpinnedServed: false })
  t.is(deploymentName, 'farm-workflows')
  t.true(shouldBeCurrent('old', of(old)), 'the first one')
  t.false(shouldBeCurrent('old', of(old, current)))
  t.false(shouldBeCurrent('new', of(old, current)), 'it is already')
  t.true(shouldBeCurrent('third', of(old, current, build('third', { createdAt: 3 }))))
  t.true(shouldBeCurrent('old', of(old, { ...current, isServed: false })), 'after a roll back')
  t.false(shouldBeCurrent('unknown', of(old, current)), 'Temporal has not seen it yet')
})

test('another step makes another build, another test does not', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'farm-test-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
    return await hashBuild(folder)
  }
  const ids = [
    await write('workflows/definitions/render-job.ts', 'one'),
    await write('workflows/stages/render.ts', 'one'),
    await write('store/db/jobs/settle-jobs.ts', 'one'),
    await write('workflows/stages/render.ts', 'two'),
  ]
  t.is(new Set(ids).size, 4)
  t.is(await write('test/workflows/one.test.ts', 'one'), ids[3] ?? '')
})

test('a build leaves new jobs to later processes that pin none', (t) => {
  const builds = [{ id: 'mine', status: 'drained' as const, createdAt: 1, isServed: true }]
  const isDue = (changedAt: number, isUnpinnedServed: boolean) =>
    shouldBeCurrent('mine', { builds, changedAt, isUnpinnedServed })
  t.false(isDue(2, true))
  t.true(isDue(2, false), 'they have gone')
  t.true(isDue(0, true), 'they were there before it')
})
