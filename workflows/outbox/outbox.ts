import type { Log } from '../../runtime/log.ts'
import { repeat } from '../../runtime/repeat.ts'
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
  const sending = repeat({
    everyMs: pollMs,
    run: sendBatch,
    onError: (error) => log.warn({ err: error, channel }, 'the outbox could not be read or marked'),
  })
  const stopListening = listen({ url: databaseUrl, channel, log, onNotify: sending.wake })
  return async () => {
    await sending.stop()
    await stopListening()
  }
}
