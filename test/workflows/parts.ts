import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { freePort } from '../../infra/local/ports.ts'
import { type LocalTemporal, startTemporal } from '../../infra/local/temporal.ts'
import { readSealKeys } from '../../runtime/seal.ts'
import { getJob, type JobView } from '../../store/db/jobs/get-job.ts'
import { insertJobWithHold } from '../../store/db/jobs/insert-job-with-hold.ts'
import { openObjectStore } from '../../store/objects/open.ts'
import type { WorkflowBundle } from '../../workflows/bundle.ts'
import type { WorkflowsConfig } from '../../workflows/config.ts'
import { openWorkflows } from '../../workflows/main.ts'
import { installRuntime } from '../../workflows/worker.ts'
import { silent, startDatabase } from '../store/database.ts'

export type Parts = Awaited<ReturnType<typeof startParts>>

const patienceMs = 60_000
const pollMs = 10

/** Real Postgres, Temporal, a directory of objects and the workflows role, for one test file. */
export async function startParts({
  trustedHosts = [],
  temporalSettings: settings = [],
  isPinned = false,
  ...opening
}: {
  trustedHosts?: readonly string[]
  temporalSettings?: readonly string[]
  isPinned?: boolean
  retryDelaysMs?: readonly number[]
  bundle?: WorkflowBundle
} = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'farm-test-'))
  const { db, url, stop: stopDatabase } = await startDatabase()
  const port = await freePort()
  let temporal: LocalTemporal | undefined = await startTemporal({ dataDir: folder, port, settings })
  const config: WorkflowsConfig = {
    databaseUrl: url,
    temporal: { server: { address: temporal.address, tls: false }, namespace: 'default' },
    objects: pathToFileURL(join(folder, 'objects')),
    publicUrl: 'http://127.0.0.1:1',
    operatorUrl: 'http://127.0.0.1:1',
    secret: 'a secret for the test',
    trustedHosts,
    isPinned,
    metricsAddress: { host: '127.0.0.1', port: 0 },
    ...{ accessDays: 14, accessGigabytes: 5 },
    sealKeys: readSealKeys({}, 'a secret for the test'),
  }
  const objects = openObjectStore(config.objects, config)
  installRuntime(silent)
  let workflows = await openWorkflows(config, silent, opening)

  /** Submits a job as the api does when it cannot start the workflow, for the sweeper to find. */
  async function submit(
    accountId: string,
    payload: Record<string, unknown>,
    { webhookUrl, ageMs = 60_000 }: { webhookUrl?: string; ageMs?: number } = {},
  ): Promise<string> {
    const id = randomUUID()
    const request = { payload }
    const type = payload.type === 'image' ? 'image' : 'video'
    await insertJobWithHold(db, {
      id,
      accountId,
      type,
      name: 'film',
      request,
      credits: 10,
      webhookUrl,
    })
    await db
      .updateTable('jobs')
      .set({ created_at: new Date(Date.now() - ageMs) } as never)
      .where('id', '=', id)
      .execute()
    return id
  }

  async function waitUntil(
    accountId: string,
    jobId: string,
    isIt: (job: JobView) => boolean = ({ finishedAt }) => finishedAt !== null,
  ): Promise<JobView> {
    const deadline = Date.now() + patienceMs
    for (;;) {
      const job = await getJob(db, { accountId, jobId })
      if (job && isIt(job)) return job
      if (Date.now() > deadline) throw new Error(`The job is still ${job?.state} in ${job?.stage}`)
      await sleep(pollMs)
    }
  }

  return {
    db,
    config,
    objects,
    submit,
    waitUntil,
    async stopTemporal() {
      await temporal?.stop()
      temporal = undefined
    },
    async startTemporal() {
      temporal = await startTemporal({ dataDir: folder, port, settings })
    },
    async restartWorkflows() {
      await workflows.stop()
      workflows = await openWorkflows(config, silent, opening)
    },
    async stop() {
      await workflows.stop()
      await temporal?.stop()
      await stopDatabase()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
