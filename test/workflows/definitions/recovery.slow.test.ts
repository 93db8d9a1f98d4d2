import { setTimeout as sleep } from 'node:timers/promises'
import { Client, Connection } from '@temporalio/client'
import test from 'ava'
import { sql } from 'kysely'
import { inTransaction } from '../../../store/db/database.ts'
import { holdJob, resumeJob } from '../../../store/db/jobs/hold-job.ts'
import { markWorkflowStarted } from '../../../store/db/jobs/mark-workflow-started.ts'
import { handBackTasks } from '../../../store/db/queue/hand-back-tasks.ts'
import { renderJobId, taskQueue } from '../../../workflows/contract.ts'
import { openWorkflows } from '../../../workflows/main.ts'
import { addAccount, silent } from '../../store/database.ts'
import { type Answer, startPaperNode } from '../paper-node.ts'
import { type Parts, startParts } from '../parts.ts'

let parts: Parts

test.before(async () => {
  parts = await startParts()
})
test.after.always(() => parts?.stop())

const film = { width: 100, height: 60, frameRate: 10, duration: 4 }
const visuals = [{ type: 'TEXT', html: 'Hold', enterEnd: 4, enterAnimation: 'slideleft' }]

/** A job whose render task a node holds until `release`. */
async function heldJob(payload: Record<string, unknown> = { ...film, visuals }) {
  const account = await addAccount(parts.db)
  const hold: Answer = ({ kind }) => (kind === 'render' ? 'hold' : 'answer')
  const holder = await startPaperNode({ ...parts, answer: hold })
  const id = await parts.submit(account, payload)
  await parts.waitUntil(account, id, ({ frames }) => frames.done > 0).finally(() => holder.stop())
  return {
    account,
    id,
    async release() {
      const running = await parts.db
        .selectFrom('attempts')
        .select(['task_id as taskId', 'attempt', 'node_id as nodeId'])
        .where('job_id', '=', id)
        .where('state', '=', 'running')
        .execute()
      for (const { nodeId, ...attempt } of running) {
        await handBackTasks(parts.db, { nodeId, attempts: [attempt] })
      }
      return await startPaperNode(parts)
    },
  }
}

test.serial('Temporal restarted while a node renders: the job is finished', async (t) => {
  const { account, id, release } = await heldJob()
  await parts.stopTemporal()
  const node = await release()
  t.teardown(node.stop)
  await parts.waitUntil(account, id, ({ frames }) => frames.done === frames.total)
  await parts.startTemporal()
  const job = await parts.waitUntil(account, id)
  t.is(job.state, 'completed', JSON.stringify(job.error))
  t.is(job.creditsCharged, 4)
  t.is(node.done.filter(({ kind }) => kind === 'render').length, 1)
})

test.serial('a job outlives its workflow’s limit while operators hold it', async (t) => {
  const { address } = parts.config.temporal.server
  const connection = await Connection.connect({ address })
  t.teardown(() => connection.close())
  const client = new Client({ connection })
  const accountId = await addAccount(parts.db)
  const jobId = await parts.submit(accountId, { ...film, visuals }, { ageMs: 0 })
  await inTransaction(parts.db, (tx) => holdJob(tx, { jobId, reason: 'a test', takesBack: false }))
  const given = { workflowId: renderJobId(jobId), workflowExecutionTimeout: '2 seconds' } as const
  await client.workflow.start('renderJob', { taskQueue, args: [{ accountId, jobId }], ...given })
  await markWorkflowStarted(parts.db, { accountId, jobId })
  const first = client.workflow.getHandle(given.workflowId)
  await t.throwsAsync(first.result(), { message: /failed|timed out/i })
  await sql`update jobs set updated_at = now() - interval '1 hour' where id = ${jobId}`.execute(
    parts.db,
  )
  const isRunning = async () => (await first.describe()).status.name === 'RUNNING'
  while (!(await isRunning())) await sleep(50)
  t.is((await parts.waitUntil(accountId, jobId, () => true)).creditsReserved, 10)
  await inTransaction(parts.db, (tx) => resumeJob(tx, jobId))
  const node = await startPaperNode(parts)
  t.teardown(node.stop)
  const job = await parts.waitUntil(accountId, jobId)
  t.is(job.state, 'completed', JSON.stringify(job.error))
})

test.serial('a submission made without Temporal is rendered when it is back', async (t) => {
  const account = await addAccount(parts.db)
  await parts.stopTemporal()
  const id = await parts.submit(account, { ...film, visuals })
  const node = await startPaperNode(parts)
  t.teardown(node.stop)
  await parts.startTemporal()
  t.is((await parts.waitUntil(account, id)).state, 'completed')
})

test.serial('a second workflows role goes on where the first one ended', async (t) => {
  const { account, id, release } = await heldJob({ ...film, frameRate: 11, visuals })
  await parts.restartWorkflows()
  t.teardown((await release()).stop)
  const job = await parts.waitUntil(account, id)
  t.is(job.state, 'completed', JSON.stringify(job.error))
})

test.serial('two workflows roles at once settle a job once', async (t) => {
  const second = await openWorkflows(parts.config, silent)
  t.teardown(second.stop)
  t.teardown((await startPaperNode(parts)).stop)
  const account = await addAccount(parts.db)
  const ids = await Promise.all([1, 2, 3].map(() => parts.submit(account, { ...film, visuals })))
  for (const id of ids) t.is((await parts.waitUntil(account, id)).state, 'completed')
  const credits = await parts.db
    .selectFrom('accounts')
    .select(['credits_balance', 'credits_reserved'])
    .where('id', '=', account)
    .executeTakeFirst()
  t.deepEqual(credits, { credits_balance: 988, credits_reserved: 0 })
})

/** Returns the end of a job whose row was not touched for two minutes. */
async function sweptJob(account: string, id: string) {
  await parts.db
    .updateTable('jobs')
    .set({ updated_at: new Date(Date.now() - 120_000) } as never)
    .where('id', '=', id)
    .execute()
  return await parts.waitUntil(account, id)
}

test.serial('a workflow ended from outside leaves no job open', async (t) => {
  const { account, id } = await heldJob({ ...film, frameRate: 12, visuals })
  const connection = await Connection.connect(parts.config.temporal.server)
  const client = new Client({ connection })
  await client.workflow.getHandle(renderJobId(id)).terminate('for the test')
  await connection.close()
  const job = await sweptJob(account, id)
  t.is(job.state, 'failed')
  t.is(job.error?.code, 'internal')
  t.is(job.creditsCharged, 0)
})

test.serial('a workflow past any job’s time limit fails its job as ours', async (t) => {
  const { account, id } = await heldJob({ ...film, frameRate: 13, visuals })
  const connection = await Connection.connect(parts.config.temporal.server)
  const client = new Client({ connection })
  const workflowId = renderJobId(id)
  await client.workflow.getHandle(workflowId).terminate('for the test')
  await client.workflow.start('renderJob', {
    ...{ workflowId, taskQueue, workflowIdReusePolicy: 'ALLOW_DUPLICATE' },
    ...{ args: [{ accountId: account, jobId: id }], workflowExecutionTimeout: '1 second' },
  })
  await t.throwsAsync(client.workflow.getHandle(workflowId).result())
  await connection.close()
  const job = await sweptJob(account, id)
  t.is(job.state, 'failed')
  t.is(job.error?.code, 'node_lost')
  t.is(job.creditsCharged, 0)
})
