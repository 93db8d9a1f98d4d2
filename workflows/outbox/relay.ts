import { type Client, WorkflowNotFoundError } from '@temporalio/client'
import type { Log } from '../../runtime/log.ts'
import type { Db } from '../../store/db/database.ts'
import { claimOutbox, type TaskEvent } from '../../store/db/queue/claim-outbox.ts'
import { markSent } from '../../store/db/queue/mark-sent.ts'
import {
  renderGroupId,
  type TaskEnded,
  type TasksEnded,
  taskEndedSignal,
  tasksEndedSignal,
} from '../contract.ts'
import { endOfOutcome } from '../stages/start-tasks.ts'
import { startOutbox } from './outbox.ts'
import { createSignalDebouncer } from './signal-debouncer.ts'
import { readToken } from './task-token.ts'

/** Task events claimed at once. */
const batch = 50
/** Most task events for groups, held or in flight, before more are claimed. */
const heldMost = 200
/**
 * Shorter than a claim even with the debounce, so that no two relays send the same event at a time.
 */
const sendTimeoutMs = 5_000

/**
 * Relays the final events of tasks from the outbox to the workflows that wait for them. Delivery is
 * at least once: a workflow takes the same event twice without harm. Events for a shared workflow
 * are debounced, because each signal costs a workflow task, unless no more will come. Any number of
 * relays may run.
 * @returns a function that stops it after the events in flight.
 */
export function startRelay({
  db,
  databaseUrl,
  client,
  log,
}: {
  db: Db
  databaseUrl: string
  client: Client
  log: Log
}): () => Promise<void> {
  const debouncer = createSignalDebouncer<TaskEvent>((group, events) => sendToGroup(group, events))
  const stopOutbox = startOutbox({ databaseUrl, channel: 'task_words', log, sendBatch })
  return async () => {
    await stopOutbox()
    await debouncer.sendAll()
  }

  async function sendBatch(): Promise<boolean> {
    // Backpressure: while Temporal is slow, claim no more than can be sent before the claims run
    // out.
    if (debouncer.count >= heldMost) await debouncer.sendAll()
    const events = await claimOutbox(db, { limit: batch })
    const alone = events.filter(({ group }) => group === null)
    for (const event of events) if (event.group !== null) debouncer.add(event.group, event)
    for (const { group, groupGoesOn } of events)
      if (group !== null && !groupGoesOn) debouncer.send(group)
    const sent = await Promise.all(alone.map(sendAlone))
    await mark(alone.filter((_, at) => sent[at]))
    return events.length === batch
  }

  async function mark(events: readonly TaskEvent[]): Promise<void> {
    if (events.length === 0) return
    await markSent(
      db,
      events.map(({ id }) => id),
    )
  }

  function sendAlone({ token, outcome, taskId }: TaskEvent): Promise<boolean> {
    return send(taskId, async () => {
      const { workflowId, task } = readToken(token)
      const handle = client.workflow.getHandle(workflowId)
      const ended: TaskEnded = { name: task, end: endOfOutcome(outcome) }
      await handle.signal<[TaskEnded]>(taskEndedSignal, ended)
    })
  }

  async function sendToGroup(group: string, events: readonly TaskEvent[]): Promise<void> {
    const ended: TasksEnded = events.map(({ jobId, name, outcome }) => {
      return { jobId, name, end: endOfOutcome(outcome) }
    })
    const isSent = await send(events[0]?.taskId, async () => {
      const handle = client.workflow.getHandle(renderGroupId(group))
      await handle.signal<[TasksEnded]>(tasksEndedSignal, ended)
    })
    if (!isSent) return
    await mark(events).catch((error: unknown) =>
      log.warn({ err: error, group }, 'task events could not be marked as sent'),
    )
  }

  /** Returns false when it must be retried; its claim runs out by itself. */
  async function send(taskId: string | undefined, signal: () => Promise<void>): Promise<boolean> {
    try {
      await client.withDeadline(Date.now() + sendTimeoutMs, signal)
      return true
    } catch (error) {
      // The job was settled without it, or another workflow looks for itself: no workflow needs
      // this event any more.
      if (error instanceof WorkflowNotFoundError) return true
      log.warn({ err: error, task: taskId }, 'a task event could not be sent')
      return false
    }
  }
}
