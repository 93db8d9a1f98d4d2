import type { Connection } from '@temporalio/client'
import type { Log } from '../runtime/log.ts'
import { repeat } from '../runtime/repeat.ts'
import { taskQueue } from './contract.ts'

/** Temporal's name of the role that runs jobs; its versions are builds of the workflows. */
export const deploymentName = 'farm-workflows'

const lookMs = 5_000
const callTimeoutMs = 15_000
/** A poll lasts a minute, and counts from its beginning. */
const pollerLivesMs = 120_000
/** gRPC: the server has no such call, or no such deployment yet. */
const unimplemented = 12
const notFound = 5
const failedPrecondition = 9

const statuses = ['unknown', 'inactive', 'current', 'ramping', 'draining', 'drained'] as const

/**
 * A build that Temporal knows. `draining`: jobs that began with it are still open. `drained`: none is, so its
 * processes may end.
 */
export type Build = {
  readonly id: string
  readonly status: (typeof statuses)[number]
  /** Time when its first process came, ms since 1970. */
  readonly createdAt: number
  /** A process of it took work lately. */
  readonly isServed: boolean
}

/** `changedAt`: time when new jobs were sent elsewhere last, ms since 1970; 0 = never. */
export type Deployment = {
  /** The newest first. */
  readonly builds: readonly Build[]
  readonly changedAt: number
  /** A process that pins no jobs took work lately. */
  readonly isUnpinnedServed: boolean
}

const noDeployment: Deployment = { builds: [], changedAt: 0, isUnpinnedServed: false }

type Timestamp = { readonly seconds?: unknown } | null | undefined

/** Lists the builds, the newest first; undefined where the server knows none of such things. */
export async function listBuilds(
  connection: Connection,
  namespace: string,
): Promise<readonly Build[] | undefined> {
  return (await readDeployment(connection, namespace))?.builds
}

async function readDeployment(
  connection: Connection,
  namespace: string,
): Promise<Deployment | undefined> {
  const { workflowService } = connection
  try {
    return await connection.withDeadline(Date.now() + callTimeoutMs, async () => {
      const { workerDeploymentInfo } = await workflowService.describeWorkerDeployment({
        ...{ namespace, deploymentName },
      })
      const queue = { name: taskQueue }
      const { pollers } = await workflowService.describeTaskQueue({
        ...{ namespace, taskQueue: queue, taskQueueType: 1 },
      })
      const served = new Set(
        pollers
          .filter(({ lastAccessTime }) => msOf(lastAccessTime) > Date.now() - pollerLivesMs)
          .map(({ deploymentOptions }) => deploymentOptions?.buildId ?? ''),
      )
      const builds = (workerDeploymentInfo?.versionSummaries ?? [])
        .map(({ deploymentVersion, status, createTime }) => {
          const id = deploymentVersion?.buildId ?? ''
          return {
            ...{ id, status: statuses[Number(status ?? 0)] ?? 'unknown' },
            ...{ createdAt: msOf(createTime), isServed: served.has(id) },
          }
        })
        .toSorted((a, b) => b.createdAt - a.createdAt)
      const changedAt = msOf(workerDeploymentInfo?.routingConfig?.currentVersionChangedTime)
      return { builds, changedAt, isUnpinnedServed: served.has('') }
    })
  } catch (error) {
    const code = (error as { code?: unknown }).code
    if (code === notFound) return noDeployment
    if (code === unimplemented) return undefined
    throw error
  }
}

function msOf(time: Timestamp): number {
  return Number(time?.seconds ?? 0) * 1000
}

/**
 * Answers whether new jobs shall go to the build `own`: it is the newest, or the newer ones have no process any
 * more, as after a roll back. Processes that pin no jobs, and came later, count as newer.
 */
export function shouldBeCurrent(
  own: string,
  { builds, changedAt, isUnpinnedServed }: Deployment,
): boolean {
  const mine = builds.find(({ id }) => id === own)
  if (mine === undefined || mine.status === 'current') return false
  const current = builds.find(({ status }) => status === 'current')
  if (current === undefined) return mine.createdAt > changedAt || !isUnpinnedServed
  return mine.createdAt > current.createdAt || !current.isServed
}

/** Sends new jobs to a build; '' = to processes that pin none. */
async function makeCurrent(
  connection: Connection,
  { namespace, buildId }: { readonly namespace: string; readonly buildId: string },
): Promise<void> {
  await connection.withDeadline(Date.now() + callTimeoutMs, async () => {
    await connection.workflowService.setWorkerDeploymentCurrentVersion({
      ...{ namespace, deploymentName, buildId },
    })
  })
}

/**
 * Makes this process's build the current one when that is due, and logs once when no open job needs it any
 * more. @returns a function that stops it
 */
export function keepBuild({
  connection,
  namespace,
  buildId,
  log,
}: {
  readonly connection: Connection
  readonly namespace: string
  readonly buildId: string
  readonly log: Log
}): () => Promise<void> {
  let last: Build['status'] | undefined
  let saidMissing = false
  const { stop } = repeat({
    everyMs: lookMs,
    async run() {
      const deployment = await readDeployment(connection, namespace)
      if (deployment === undefined) {
        if (!saidMissing) log.warn('this Temporal knows no builds: jobs go to any of them')
        saidMissing = true
        return
      }
      const status = deployment.builds.find(({ id }) => id === buildId)?.status
      if (status === 'drained' && last !== 'drained') {
        log.info({ buildId }, 'no open job needs this build: its processes may end')
      }
      last = status
      if (!shouldBeCurrent(buildId, deployment)) return
      await makeCurrent(connection, { namespace, buildId })
      log.info({ buildId }, 'new jobs go to this build from now on')
    },
    onError(error) {
      // Its first poll may not have arrived yet, or another process was faster.
      const isEarly = (error as { code?: unknown }).code === failedPrecondition
      if (!isEarly) log.warn({ err: error }, 'the builds of the workflows could not be read')
    },
  })
  return stop
}

/**
 * Sends new jobs to processes that pin none, as this one, when it starts and again when the build that
 * gets them has no process any more: a build that was current once would else keep them for ever.
 * @returns a function that stops it
 */
export function keepUnpinned({
  connection,
  namespace,
  log,
}: {
  readonly connection: Connection
  readonly namespace: string
  readonly log: Log
}): () => Promise<void> {
  let hasBegun = false
  const { stop } = repeat({
    everyMs: lookMs,
    async run() {
      const deployment = (await readDeployment(connection, namespace)) ?? noDeployment
      const current = deployment.builds.find(({ status }) => status === 'current')
      if (current !== undefined) {
        // Before the server knows of a process that pins none, a pinned one would take new jobs back.
        if (hasBegun ? current.isServed : !deployment.isUnpinnedServed) return
        await makeCurrent(connection, { namespace, buildId: '' })
        log.info({ buildId: current.id }, 'new jobs are pinned to no build from now on')
      }
      hasBegun = true
    },
    onError(error) {
      const isEarly = (error as { code?: unknown }).code === failedPrecondition
      if (!isEarly) log.warn({ err: error }, 'the builds of the workflows could not be read')
    },
  })
  return stop
}
