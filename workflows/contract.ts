import type { Client } from '@temporalio/client'

/**
 * All that other rooms, and the workflow's own code, know of the job's workflow. Nothing here pulls
 * in a client or a server at run time: the file is part of the workflow's bundle.
 */

export const taskQueue = 'farm-jobs'
const renderJobType = 'renderJob'
const bulkRenderType = 'bulkRender'
const renderGroupType = 'renderGroup'
export const taskEndedSignal = 'taskEnded'
export const tasksEndedSignal = 'tasksEnded'
export const bulkJobEndedSignal = 'bulkJobEnded'

/**
 * Ids only: what a job is about is read where it is needed, so histories stay small. `bulkId`: the
 * bulk that waits for the job's end. `group`: the workflow that it shares with others of the bulk.
 */
export type RenderJobInput = {
  readonly accountId: string
  readonly jobId: string
  readonly bulkId?: string
  readonly group?: string
}

/** `hasWaited`: what others of its group were to fetch for it is there, or will not come. */
export type GatheringJob = RenderJobInput & { readonly hasWaited?: boolean }

/** A farm without a fitting node fails a job in the end: the sweeper settles what Temporal has given up. */
export const longestJob = '48 hours'

export function renderJobId(jobId: string): string {
  return `render-${jobId}`
}

/** How a task ended, as far as the workflow must know. `code`: one of core/errors.ts. */
export type TaskEnd =
  | { readonly state: 'completed' }
  | {
      readonly state: 'failed'
      readonly error: { readonly code: string; readonly message: string; readonly field?: string }
    }
  | { readonly state: 'cancelled' }

export type TaskEnded = { readonly name: string; readonly end: TaskEnd }

/**
 * Starts a job's workflow unless it has been started before.
 * @throws what the Temporal client throws when the server is away.
 */
export async function startRenderJob(client: Client, input: RenderJobInput): Promise<void> {
  const workflowId = renderJobId(input.jobId)
  await startOnce(client, renderJobType, {
    ...{ workflowId, input, reuse: 'REJECT_DUPLICATE', workflowExecutionTimeout: longestJob },
  })
}

/** Jobs of a bulk that share a workflow, `group`. */
export type RenderGroupInput = {
  readonly accountId: string
  readonly bulkId: string
  readonly group: string
  readonly jobIds: readonly string[]
  /** The most steps of one round (rounds.ts); absent in histories of before it was said: `fewSteps`. */
  readonly stepsAtOnce?: number
}

/** What they answer is one record of the history, which may have 2 MB; that of a long film has 160 kB. */
export const fewSteps = 10

/** Most jobs are short, and a round costs as much for ten of them as for twenty. */
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
 * Starts a bulk's workflow unless it runs. One that has ended may begin anew: it looks at what is
 * left to do.
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
    reuse: 'REJECT_DUPLICATE' | 'ALLOW_DUPLICATE'
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
