import type { Bulk, Job } from './api-types.ts'
import type { Caller, CallOptions, Reply } from './caller.ts'
import { readEvents } from './event-stream.ts'
import { FarmApiError } from './farm-api-error.ts'
import { sleep } from './retry.ts'

/** Time without a sign of life after which a program opens the stream again. */
const longQuietMs = 40_000
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
  let lastId = since
  for (;;) {
    try {
      for await (const event of readAccountEvents(caller, { ...options, since: lastId })) {
        lastId = event.id
        yield event
      }
    } catch (error) {
      options.signal?.throwIfAborted()
      if (error instanceof FarmApiError) throw error
    }
    await sleep(reconnectMs, options.signal)
  }
}

/**
 * Yields the events of one stream; throws when it breaks. `onOpen`: called once it is open. `quietMs`:
 * longest time without a sign of life; the farm gives one every five seconds.
 */
export async function* readAccountEvents(
  { fetch }: Caller,
  {
    since,
    onOpen,
    quietMs = longQuietMs,
    ...options
  }: EventOptions & { readonly onOpen?: () => void; readonly quietMs?: number },
): AsyncGenerator<AccountEvent> {
  const query = since ? { since } : {}
  const body = await fetch('GET /api/events', { ...options, query }, async ({ body }) => body)
  if (!body) return
  onOpen?.()
  for await (const { id, event, data } of readEvents(body, { quietMs })) {
    yield { id, event, data: JSON.parse(data) } as AccountEvent
  }
}
