import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../runtime/log.ts'
import { type Channel, listen } from '../store/db/listen.ts'

/** The safety net for a notification that got lost. */
const pollMs = 2_000

/**
 * Calls `sendBatch` when the channel says that there is something to send, again while it answers
 * that there is more, and now and then in any case. It may reject; it is called again.
 * @returns a function that stops it after the batch that is being sent.
 */
export function startOutbox({
  databaseUrl,
  channel,
  log,
  sendBatch,
}: {
  databaseUrl: string
  channel: Channel
  log: Log
  sendBatch: () => Promise<boolean>
}): () => Promise<void> {
  const stop = new AbortController()
  let wake = new AbortController()
  const stopListening = listen({
    url: databaseUrl,
    channel,
    log,
    onNotify: () => wake.abort(),
  })
  const ended = keepSending()
  return async () => {
    stop.abort()
    wake.abort()
    await ended
    await stopListening()
  }

  async function keepSending(): Promise<void> {
    while (!stop.signal.aborted) {
      // Made before looking, so that a row written while we look wakes us at once.
      wake = new AbortController()
      const { signal } = wake
      const more = await sendBatch().catch((error: unknown) => {
        log.warn({ err: error, channel }, 'what is to be sent could not be read or marked')
        return false
      })
      if (!more && !stop.signal.aborted) {
        await sleep(pollMs, undefined, { signal }).catch(() => undefined)
      }
    }
  }
}
