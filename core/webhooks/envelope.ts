import { pointerOf } from '../errors.ts'
import type { JobError } from '../jobs/jobs.ts'

/** All events. A cancelled job sends none. */
export const webhookEvents = ['render.completed', 'render.failed'] as const
export type WebhookEvent = (typeof webhookEvents)[number]

/** `duration` in seconds, `size` in bytes. The URLs are signed and expire. */
export type CompletedData = {
  readonly status: 'completed'
  readonly url: string
  readonly thumbnailUrl: string | null
  readonly duration: number
  readonly size: number
  readonly creditsCharged: number
  readonly templateId: string | null
}

/** `error` is the job's own. */
export type FailedData = {
  readonly status: 'failed'
  readonly error: JobError
  readonly creditsCharged: number
}

/** An event to deliver. `at`: time of the event, ISO 8601. */
export type Happening = { readonly jobId: string; readonly at: string } & (
  | { readonly event: 'render.completed'; readonly data: CompletedData }
  | { readonly event: 'render.failed'; readonly data: FailedData }
)

/**
 * Writes the body of a delivery. It is written once and stored as text, because every attempt must
 * carry the same bytes: they are signed.
 */
export function writeEnvelope({ event, jobId, at, data }: Happening, test = false): string {
  const shown = data.status === 'failed' ? { ...data, error: withPointers(data.error) } : data
  return JSON.stringify({ event, jobId, timestamp: at, data: shown, ...(test && { test }) })
}

function withPointers({ details, ...error }: JobError) {
  return {
    ...error,
    details: details.map((fault) => ({
      ...fault,
      pointer: fault.pointer ?? pointerOf(fault.field),
    })),
  }
}

/** Job of test events; no real one has this id. */
const sampleJobId = '00000000-0000-4000-8000-000000000000'

/** Returns the content of a test event. */
export function sampleHappening(event: WebhookEvent, at: string): Happening {
  const shown = { jobId: sampleJobId, at }
  switch (event) {
    case 'render.completed':
      return {
        ...{ ...shown, event },
        data: {
          status: 'completed',
          url: 'https://example.com/output.mp4',
          thumbnailUrl: 'https://example.com/thumbnail.jpg',
          duration: 12.5,
          size: 3_481_920,
          creditsCharged: 13,
          templateId: null,
        },
      }
    case 'render.failed':
      return {
        ...{ ...shown, event },
        data: {
          status: 'failed',
          error: {
            code: 'media_unreachable',
            message: 'The address must answer with status 200. Got 404',
            details: [
              {
                field: 'visuals[0].src',
                code: 'media_unreachable',
                message: 'The address must answer with status 200. Got 404',
              },
            ],
          },
          creditsCharged: 0,
        },
      }
    default:
      return event satisfies never
  }
}
