import type { Job } from './api-types.ts'
import type { Caller, CallOptions } from './caller.ts'
import { readEvents } from './event-stream.ts'
import { FarmApiError } from './farm-api-error.ts'
import { sleep } from './retry.ts'

/** The farm sends a comment every 15 seconds. */
const quietMs = 40_000
const pollMs = 2_000
/** Consecutive empty streams after which the client only polls. */
const maxEmptyStreams = 2

/** True when a job has ended. */
function isFinal({ state }: Pick<Job, 'state'>): boolean {
  return state === 'completed' || state === 'failed' || state === 'cancelled'
}

/**
 * Yields a job now and at each change, until it has ended.
 *
 * Updates come as server-sent events. A stream may end at any time (the farm ends each after ten
 * minutes). Then the job is read once, to catch up, and the next stream is opened with the id of
 * the last event. Where streams bring nothing, because something between buffers them, the job is
 * polled every two seconds instead.
 */
export async function* watchJob(
  caller: Caller,
  id: string,
  options: CallOptions,
): AsyncGenerator<Job> {
  const given = { ...options, id }
  let lastEventId = ''
  let emptyStreams = 0
  for (;;) {
    const began = Date.now()
    if (emptyStreams < maxEmptyStreams) {
      emptyStreams += 1
      for await (const event of streamOf(caller, { ...given, lastEventId })) {
        emptyStreams = 0
        lastEventId = event.id
        const job: Job = JSON.parse(event.data)
        yield job
        if (isFinal(job)) return
      }
    }
    const job = await caller.ask('GET /api/jobs/{id}', given)
    yield job
    if (isFinal(job)) return
    await sleep(Math.max(0, began + pollMs - Date.now()), options.signal)
  }
}

/**
 * Yields the events of one stream, none when it fails to open. Ends when the stream does, for any reason.
 */
async function* streamOf(
  { fetch }: Caller,
  { lastEventId, ...given }: CallOptions & { id: string; lastEventId: string },
) {
  const headers = { ...(lastEventId !== '' && { 'last-event-id': lastEventId }) }
  try {
    const body = await fetch(
      'GET /api/jobs/{id}/events',
      // Not retried: without a stream the job can be polled.
      { ...given, headers, retries: 0 },
      async ({ body }) => body,
    )
    // No body: the job has ended, and its last event was already seen.
    if (body) yield* readEvents(body, { quietMs })
  } catch (error) {
    given.signal?.throwIfAborted()
    // A refusal will repeat at the next poll, too; a broken stream says nothing about the job.
    if (error instanceof FarmApiError && error.status > 0 && error.status < 429) throw error
  }
}
