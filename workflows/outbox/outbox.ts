import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../runtime/log.ts'
import { type Channel, listen } from '../../store/db/listen.ts'

/** Polls as well, in case a notification got lost. */
const pollMs = 2_000

/**
 * Calls `sendBatch` on each notification, again while it answers that there is more, and every few
 * seconds in any case. It may reject; it is called again.
 * @returns a function that stops it after the batch in flight.
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
      // Created before the look, so that a row written meanwhile wakes us at once.
      wake = new AbortController()
      const { signal } = wake
      const more = await sendBatch().catch((error: unknown) => {
        log.warn({ err: error, channel }, 'the outbox could not be read or marked')
        return false
      })
      if (!more && !stop.signal.aborted) {
        await sleep(pollMs, undefined, { signal }).catch(() => undefined)
      }
    }
  }
}
