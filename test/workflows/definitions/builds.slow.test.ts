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
import { workflowBundle } from '../../../workflows/bundle.ts'
import { renderJobId } from '../../../workflows/contract.ts'
import { openWorkflows } from '../../../workflows/main.ts'
import { addAccount, silent } from '../../store/database.ts'
import { startPaperNode } from '../paper-node.ts'
import { type Parts, startParts } from '../parts.ts'

const { code } = await workflowBundle(silent)
const first = { code, buildId: 'first' }
/** Its workflows begin with a timer, so it can drive no job that the first one began. */
const second = { code: await changedCode(), buildId: 'second' }

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

async function untilStatus(id: string, status: Build['status']): Promise<void> {
  for (;;) {
    const builds = await listBuilds(connection, 'default')
    if (builds?.find((build) => build.id === id)?.status === status) return
    await sleep(100)
  }
}

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

test('the newest build gets new jobs, or the one that is left', (t) => {
  const build = (id: string, more: Partial<Build>): Build => ({
    ...{ id, status: 'inactive', createdAt: 1, isServed: true },
    ...more,
  })
  const old = build('old', { createdAt: 1 })
  const current = build('new', { createdAt: 2, status: 'current' })
  t.is(deploymentName, 'farm-workflows')
  t.true(shouldBeCurrent('old', [old]), 'the first one')
  t.false(shouldBeCurrent('old', [old, current]))
  t.false(shouldBeCurrent('new', [old, current]), 'it is already')
  t.true(shouldBeCurrent('third', [old, current, build('third', { createdAt: 3 })]))
  t.true(shouldBeCurrent('old', [old, { ...current, isServed: false }]), 'after a roll back')
  t.false(shouldBeCurrent('unknown', [old, current]), 'Temporal has not seen it yet')
})
