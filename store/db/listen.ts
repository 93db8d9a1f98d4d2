import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Log } from '../../runtime/log.ts'
import { applySettings, connectTimeoutMs } from './connect.ts'

/**
 * `tasks`: there is more to lease, see TasksQueued. `task_words`: a word is to be sent.
 * `webhook_deliveries`: a workflow is to be started, or one has ended and left room for another.
 * `job_changes`: the job in the payload looks different; `job_ends`: it has ended (triggers of migrations 0005 and 0021 tell it).
 */
export type Channel = 'tasks' | 'task_words' | 'webhook_deliveries' | 'job_changes' | 'job_ends'

const reconnectMs = 500

/**
 * Hears NOTIFY on its own connection, for as long as the process lives; a broken connection is made
 * anew. `onNotify` is called without a payload after each (re)connection, because what was said
 * in between is lost: look at the tables then.
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
  const stop = new AbortController()
  const ended = keepListening()
  return async () => {
    stop.abort()
    await ended
  }

  async function keepListening(): Promise<void> {
    while (!stop.signal.aborted) {
      try {
        await listenOnce()
      } catch (error) {
        log.warn({ err: error, channel }, 'the connection that listens broke')
      }
      if (!stop.signal.aborted) {
        await sleep(reconnectMs, undefined, { signal: stop.signal }).catch(() => undefined)
      }
    }
  }

  async function listenOnce(): Promise<void> {
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: connectTimeoutMs,
      keepAlive: true,
    })
    const { promise: over, resolve: stopped, reject: broken } = Promise.withResolvers<void>()
    // Awaited only after connecting; a failure until then is connect's to report.
    over.catch(() => undefined)
    const onStop = () => stopped()
    stop.signal.addEventListener('abort', onStop)
    client.on('error', broken)
    client.on('end', () => broken(new Error('The database closed the connection.')))
    client.on('notification', (message) => onNotify(message.payload ?? ''))
    try {
      await client.connect()
      await applySettings(client)
      await client.query(`listen ${channel}`)
      if (!stop.signal.aborted) onNotify(undefined)
      await over
    } finally {
      stop.signal.removeEventListener('abort', onStop)
      await client.end().catch(() => undefined)
    }
  }
}
