import { type Client, WorkflowNotFoundError } from '@temporalio/client'
import type { Log } from '../runtime/log.ts'
import type { Db } from '../store/db/database.ts'
import { markSent } from '../store/db/statements/mark-sent.ts'
import { type TaskWord, takeWords } from '../store/db/statements/take-words.ts'
import { endOfOutcome } from './activities/start-tasks.ts'
import { type TaskEnded, taskEndedSignal } from './contract.ts'
import { startOutbox } from './outbox.ts'
import { readToken } from './task-token.ts'

/** Words sent at once. */
const batch = 50
/** Shorter than a claim (take-words.ts), so that no word is sent by two relays at a time. */
const sendTimeoutMs = 5_000

/**
 * Carries the last words about tasks from the outbox to the workflows that wait for them. A word is
 * sent at least once: the workflow takes the same one twice without harm. Any number of relays may
 * run.
 * @returns a function that stops it after the batch that is being sent.
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
  return startOutbox({ databaseUrl, channel: 'task_words', log, sendBatch })

  async function sendBatch(): Promise<boolean> {
    const words = await takeWords(db, { limit: batch })
    const sent = await Promise.all(words.map(send))
    const ids = words.flatMap(({ id }, i) => (sent[i] ? [id] : []))
    if (ids.length > 0) await markSent(db, ids)
    return words.length === batch
  }

  /** False when it must be tried again; its claim runs out by itself. */
  async function send(word: TaskWord): Promise<boolean> {
    try {
      const { workflowId, task } = readToken(word.token)
      const handle = client.workflow.getHandle(workflowId)
      const ended: TaskEnded = { name: task, end: endOfOutcome(word.outcome) }
      await client.withDeadline(Date.now() + sendTimeoutMs, () =>
        handle.signal<[TaskEnded]>(taskEndedSignal, ended),
      )
      return true
    } catch (error) {
      // The job was settled without it: nobody waits for this word any more.
      if (error instanceof WorkflowNotFoundError) return true
      log.warn({ err: error, task: word.taskId }, 'a word about a task could not be sent')
      return false
    }
  }
}
