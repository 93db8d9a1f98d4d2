import type { Client } from '@temporalio/client'

/**
 * The job's workflow as other rooms, and the workflow's own code, know it. Nothing here imports a
 * client or a server at run time: the file is part of the workflow's bundle.
 */

export const taskQueue = 'farm-jobs'
const renderJobType = 'renderJob'
const bulkRenderType = 'bulkRender'
const renderGroupType = 'renderGroup'
export const taskEndedSignal = 'taskEnded'
export const tasksEndedSignal = 'tasksEnded'
export const bulkJobEndedSignal = 'bulkJobEnded'

/**
 * Ids only: each step reads the rest where it needs it, so histories stay small. `bulkId`: the bulk
 * that waits for the job's end. `group`: the workflow that it shares with others of the bulk.
 */
export type RenderJobInput = {
  readonly accountId: string
  readonly jobId: string
  readonly bulkId?: string
  readonly group?: string
}

/**
 * `hasWaited`: the job has waited for others of its group to fetch its media; they are there, or
 * will not come.
 */
export type PreparingJob = RenderJobInput & { readonly hasWaited?: boolean }

/**
 * Limit after which Temporal gives up a job, such as one without a fitting node; the sweeper then
 * settles it.
 */
export const longestJob = '48 hours'

export function renderJobId(jobId: string): string {
  return `render-${jobId}`
}

/** The end of a task, reduced to what the workflow needs. `code`: one of core/errors.ts. */
export type TaskEnd =
  | { readonly state: 'completed' }
  | {
      readonly state: 'failed'
      readonly error: { readonly code: string; readonly message: string; readonly field?: string }
    }
  | { readonly state: 'cancelled' }

export type TaskEnded = { readonly name: string; readonly end: TaskEnd }

/**
 * Starts a job's workflow (definitions/render-job.ts) unless it has been started before.
 * @throws what the Temporal client throws when the server is away.
 */
export async function startRenderJob(client: Client, input: RenderJobInput): Promise<void> {
  const workflowId = renderJobId(input.jobId)
  await startOnce(client, renderJobType, {
    ...{ workflowId, input, reuse: 'REJECT_DUPLICATE', workflowExecutionTimeout: longestJob },
  })
}

/** Starts a job's workflow again after it failed or timed out. A running one goes on. */
export async function restartRenderJob(client: Client, input: RenderJobInput): Promise<void> {
  const workflowId = renderJobId(input.jobId)
  await startOnce(client, renderJobType, {
    ...{ workflowId, input, reuse: 'ALLOW_DUPLICATE_FAILED_ONLY' },
    workflowExecutionTimeout: longestJob,
  })
}

/** Jobs of a bulk that share the workflow `group`. */
export type RenderGroupInput = {
  readonly accountId: string
  readonly bulkId: string
  readonly group: string
  readonly jobIds: readonly string[]
  /** The most steps of one batch; absent in histories that older versions began: `fewSteps`. */
  readonly stepsAtOnce?: number
}

/**
 * The answers of a batch form one history record of at most 2 MB; a long film's answer has 160 kB.
 */
export const fewSteps = 10

/** Most jobs are short, and a batch of ten steps costs as much as one of twenty. */
const stepsAtOnce = 20

export function renderGroupId(group: string): string {
  return `group-${group}`
}

/** Ends of tasks of a group's jobs. */
export type TasksEnded = readonly (TaskEnded & { readonly jobId: string })[]

/** @throws what the Temporal client throws when the server is away. */
export async function startRenderGroup(client: Client, input: RenderGroupInput): Promise<void> {
  const workflowId = renderGroupId(input.group)
  await startOnce(client, renderGroupType, {
    input: { ...input, stepsAtOnce },
    ...{ workflowId, reuse: 'REJECT_DUPLICATE', workflowExecutionTimeout: longestJob },
  })
}

export type BulkRenderInput = { readonly accountId: string; readonly bulkId: string }

export function bulkRenderId(bulkId: string): string {
  return `bulk-${bulkId}`
}

/**
 * Starts a bulk's workflow unless it runs. An ended one may begin anew: it looks for what is left
 * to do.
 * @throws what the Temporal client throws when the server is away.
 */
export async function startBulkRender(client: Client, input: BulkRenderInput): Promise<void> {
  const workflowId = bulkRenderId(input.bulkId)
  await startOnce(client, bulkRenderType, { workflowId, input, reuse: 'ALLOW_DUPLICATE' })
}

async function startOnce(
  client: Client,
  type: string,
  {
    workflowId,
    input,
    reuse,
    ...limits
  }: {
    workflowId: string
    input: object
    reuse: 'REJECT_DUPLICATE' | 'ALLOW_DUPLICATE' | 'ALLOW_DUPLICATE_FAILED_ONLY'
    workflowExecutionTimeout?: typeof longestJob
  },
): Promise<void> {
  const options = { taskQueue, workflowId, args: [input], workflowIdReusePolicy: reuse, ...limits }
  try {
    await client.workflow.start(type, options)
  } catch (error) {
    const known = error instanceof Error && error.name === 'WorkflowExecutionAlreadyStartedError'
    if (!known) throw error
  }
}
