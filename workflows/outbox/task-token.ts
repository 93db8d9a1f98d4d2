/**
 * Address that leads a task's end back to its workflow. The scheduler stores it unread and hands it
 * to the relay with the task's final event.
 *
 * Rejected: the token of an activity that completes later. Such an activity has one time-out for
 * its whole life (a day, here). A role killed between taking the activity and writing the task's
 * row would leave the job waiting for that day. A heartbeat would close the gap for a call per open
 * task every few seconds. A workflow and a task name are known before anything starts, stay the
 * same when a step is repeated, and save a round trip.
 */
export type TaskToken = { readonly workflowId: string; readonly task: string }

export function writeToken({ workflowId, task }: TaskToken): Buffer {
  return Buffer.from(JSON.stringify([workflowId, task]))
}

/** @throws Error when the bytes are no token of the farm's. */
export function readToken(token: Buffer): TaskToken {
  const [workflowId, task, ...rest]: unknown[] = JSON.parse(token.toString())
  if (typeof workflowId !== 'string' || typeof task !== 'string' || rest.length > 0) {
    throw new Error(`A task token must name a workflow and a task. Got ${token.toString()}`)
  }
  return { workflowId, task }
}
