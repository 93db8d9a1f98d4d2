import type { Client } from '@temporalio/client'

/**
 * All that other rooms, and the workflow's own code, know of the job's workflow. Nothing here pulls
 * in a client or a server at run time: the file is part of the workflow's bundle.
 */

export const taskQueue = 'farm-jobs'
const renderJobType = 'renderJob'
export const taskEndedSignal = 'taskEnded'

/** Ids only: what a job is about is read where it is needed, so histories stay small. */
export type RenderJobInput = { readonly accountId: string; readonly jobId: string }

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
  try {
    await client.workflow.start(renderJobType, {
      taskQueue,
      workflowId: renderJobId(input.jobId),
      args: [input],
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
    })
  } catch (error) {
    const known = error instanceof Error && error.name === 'WorkflowExecutionAlreadyStartedError'
    if (!known) throw error
  }
}
