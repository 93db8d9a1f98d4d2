/**
 * What a task carries to find back to the workflow that waits for it. The scheduler keeps it unread
 * and hands it to the relay with the task's last word.
 *
 * Instead of: the token of an activity that completes later. Such an activity has one time-out for
 * all of its life (a day, here), so a role killed between taking the activity and writing the task's
 * row would leave the job waiting for that day; a heartbeat would close the gap at the price of a
 * call for each open task every few seconds. A workflow and a task name are known before anything
 * starts, stay the same when a step is repeated, and cost one round trip less.
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
