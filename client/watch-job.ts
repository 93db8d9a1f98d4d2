import type { Job } from './api-types.ts'
import type { Caller, CallOptions } from './caller.ts'
import { readEvents } from './event-stream.ts'
import { FarmApiError } from './farm-api-error.ts'
import { sleep } from './retry.ts'

/** The farm sends a comment every 15 seconds. */
const quietMs = 40_000
const pollMs = 2_000
/** Streams that bring nothing, one after the other, until the client only asks. */
const maxEmptyStreams = 2

/** Whether a job is over. */
function isFinal({ state }: Pick<Job, 'state'>): boolean {
  return state === 'completed' || state === 'failed' || state === 'cancelled'
}

/**
 * A job as it is now and whenever it changes, until it is over.
 *
 * It is told by server-sent events. A stream may end at any time (the farm ends each after ten
 * minutes): the job is read once, which tells what was missed, and the next stream is opened with
 * the id of the last event. Where streams bring nothing, because something between holds them back,
 * the job is read every two seconds instead.
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

/** The events of one stream, none when it cannot be had. Ends when it does, however that is. */
async function* streamOf(
  { fetch }: Caller,
  { lastEventId, ...given }: CallOptions & { id: string; lastEventId: string },
) {
  const headers = { ...(lastEventId !== '' && { 'last-event-id': lastEventId }) }
  try {
    const body = await fetch(
      'GET /api/jobs/{id}/events',
      // Where there is no stream to be had, the job can be read meanwhile.
      { ...given, headers, retries: 0 },
      async ({ body }) => body,
    )
    // No body: the job is over, and its last event is the one that was seen.
    if (body) yield* readEvents(body, { quietMs })
  } catch (error) {
    given.signal?.throwIfAborted()
    // A refusal would be told to the next reading, too; a broken stream says nothing of the job.
    if (error instanceof FarmApiError && error.status > 0 && error.status < 429) throw error
  }
}
