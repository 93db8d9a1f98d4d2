import pg from 'pg'
import type { Log } from '../../runtime/log.ts'
import { repeat } from '../../runtime/repeat.ts'
import { applySettings, connectTimeoutMs } from './connect.ts'

/**
 * `tasks`: there is more to lease, see TasksQueued. `task_words`: a task event is to be sent.
 * `webhook_deliveries`: a workflow is to be started, or one has ended and freed a place.
 * `job_changes`: the job in the payload has changed; `job_ends`: it has ended. `agent_ends`: the
 * grant or API key in the payload has ended. Triggers of migrations 0005, 0021, 0037, 0039
 * and 0040 send the last three. notify-submitted.ts sends `job_changes` for new jobs.
 */
export type Channel =
  | 'tasks'
  | 'task_words'
  | 'webhook_deliveries'
  | 'job_changes'
  | 'job_ends'
  | 'agent_ends'

const reconnectMs = 500

/**
 * Listens to a channel on a connection of its own for the life of the process, and reconnects when
 * it breaks. `onNotify` is called without a payload after each (re)connection: notifications in
 * between are lost, so read the tables then.
 * @returns a function that stops listening.
 */
export function listen({
  url,
  channel,
  log,
  onNotify,
}: {
  url: string
  channel: Channel
  log: Log
  onNotify: (payload: string | undefined) => void
}): () => Promise<void> {
  const { stop } = repeat({
    everyMs: reconnectMs,
    run: listenOnce,
    onError: (error) => log.warn({ err: error, channel }, 'the listening connection broke'),
  })
  return stop

  async function listenOnce(stopping: AbortSignal): Promise<void> {
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: connectTimeoutMs,
      keepAlive: true,
    })
    const { promise: over, resolve: stopped, reject: broken } = Promise.withResolvers<void>()
    // Awaited only after connecting; a failure until then is connect's to report.
    over.catch(() => undefined)
    const onStop = () => stopped()
    stopping.addEventListener('abort', onStop)
    client.on('error', broken)
    client.on('end', () => broken(new Error('The database closed the connection.')))
    client.on('notification', (message) => onNotify(message.payload ?? ''))
    try {
      await client.connect()
      await applySettings(client)
      await client.query(`listen ${channel}`)
      if (!stopping.aborted) onNotify(undefined)
      await over
    } finally {
      stopping.removeEventListener('abort', onStop)
      await client.end().catch(() => undefined)
    }
  }
}
