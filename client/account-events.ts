import type { Bulk, Job } from './api-types.ts'
import type { Caller, CallOptions, Reply } from './caller.ts'
import { readEvents } from './event-stream.ts'
import { FarmApiError } from './farm-api-error.ts'
import { sleep } from './retry.ts'

/** The farm sends a comment every 15 seconds. */
const quietMs = 40_000
const reconnectMs = 1_000

/** A job as the account's stream tells of it. `credits`: held, or charged once it has ended. */
export type JobChange = Pick<
  Job,
  | ('id' | 'name' | 'state' | 'stage' | 'progress' | 'framesPerSecond' | 'etaSeconds')
  | ('type' | 'thumbnailUrl' | 'previewUrl' | 'bulkId' | 'failedReason')
> & { readonly createdAt: string; readonly credits: number }

export type AccountEvent = { readonly id: string } & (
  | {
      readonly event: 'hello'
      readonly data: { readonly now: string; readonly since: string | null }
    }
  | { readonly event: 'job'; readonly data: JobChange }
  | { readonly event: 'bulk'; readonly data: Omit<Bulk, 'errors'> }
  | { readonly event: 'credits'; readonly data: Reply<'GET /api/credits/balance'> }
)

export type EventOptions = CallOptions & {
  /** Time, or id of the last event: open jobs, and those that ended since, are told first. */
  readonly since?: string
}

/**
 * Yields what happens to all jobs of the account, without an end. A stream that ends or breaks is opened
 * again, and what was missed is told first. @throws FarmApiError when the farm refuses
 */
export async function* watchAccount(
  caller: Caller,
  { since = '', ...options }: EventOptions,
): AsyncGenerator<AccountEvent> {
  let lastEventId = since
  for (;;) {
    for await (const { id, event, data } of streamOf(caller, { ...options, lastEventId })) {
      lastEventId = id
      yield { id, event, data: JSON.parse(data) } as AccountEvent
    }
    await sleep(reconnectMs, options.signal)
  }
}

/** Yields the events of one stream, and ends when it breaks. */
async function* streamOf(
  { fetch }: Caller,
  { lastEventId, ...options }: CallOptions & { lastEventId: string },
) {
  const query = { ...(lastEventId !== '' && { since: lastEventId }) }
  const body = await fetch('GET /api/events', { ...options, query }, async ({ body }) => body)
  try {
    if (body) yield* readEvents(body, { quietMs })
  } catch (error) {
    options.signal?.throwIfAborted()
    if (error instanceof FarmApiError) throw error
  }
}
