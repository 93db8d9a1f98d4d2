import { Type } from 'typebox'
import {
  sampleHappening,
  type WebhookEvent,
  webhookEvents,
  writeEnvelope,
} from '../../core/webhooks/envelope.ts'

const headers = [
  headerOf('X-Service-Event', 'Event name, as in the body', {
    type: 'string',
    enum: webhookEvents,
  }),
  headerOf('X-Service-Delivery-Id', 'Delivery id, equal for all attempts; drop repeated ones', {
    type: 'string',
    format: 'uuid',
  }),
  headerOf('X-Service-Timestamp', 'Time at which this attempt was signed, in Unix seconds', {
    type: 'string',
    pattern: '^[0-9]+$',
  }),
  headerOf('X-Service-Job-Id', 'Id of the render job', { type: 'string', format: 'uuid' }),
  {
    ...headerOf(
      'X-Service-Signature',
      'HMAC-SHA256 of `TIMESTAMP.BODY` with the secret, in hex; sent to registered endpoints only',
      { type: 'string', pattern: '^sha256=[0-9a-f]{64}$' },
    ),
    required: false,
  },
]

const envelope = {
  jobId: Type.String({ format: 'uuid' }),
  timestamp: Type.String({ format: 'date-time', description: 'Time of the event' }),
  test: Type.Optional(Type.Literal(true, { description: 'True in test deliveries, else absent' })),
}
const Completed = Type.Object({
  event: Type.Literal('render.completed'),
  ...envelope,
  data: Type.Object({
    status: Type.Literal('completed'),
    url: Type.String({
      format: 'uri',
      description: 'Signed URL of the output, valid for 24 hours',
    }),
    thumbnailUrl: Type.Union([Type.String({ format: 'uri' }), Type.Null()]),
    duration: Type.Number({ description: 'Length in seconds' }),
    size: Type.Integer({ description: 'Size in bytes' }),
    creditsCharged: Type.Integer(),
    templateId: Type.Union([Type.String(), Type.Null()]),
  }),
})
const Failed = Type.Object({
  event: Type.Literal('render.failed'),
  ...envelope,
  data: Type.Object({
    status: Type.Literal('failed'),
    error: Type.Object({
      code: Type.String(),
      message: Type.String(),
      details: Type.Array(
        Type.Object({
          field: Type.String(),
          pointer: Type.String(),
          code: Type.String(),
          message: Type.String(),
        }),
      ),
    }),
    creditsCharged: Type.Integer(),
  }),
})
const bodies = { 'render.completed': Completed, 'render.failed': Failed }

const retries =
  'A 2xx response within 10 seconds ends the delivery. Any other response, redirects included, is a failed attempt. Up to four more attempts follow, 30, 60, 120 and 240 seconds apart.'

/** The `webhooks` of the published document: the requests that an endpoint gets. */
export const webhookOperations = Object.fromEntries(
  webhookEvents.map((event) => [event, { post: operationOf(event) }]),
)

function operationOf(event: WebhookEvent) {
  const hasSucceeded = event === 'render.completed'
  const sample = sampleHappening(event, '2030-01-15T12:00:05.000Z')
  return {
    operationId: hasSucceeded ? 'onRenderCompleted' : 'onRenderFailed',
    summary: hasSucceeded ? 'A job has completed' : 'A job has failed',
    description: retries,
    tags: ['webhooks'],
    security: [],
    parameters: headers,
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: bodies[event],
          example: JSON.parse(writeEnvelope(sample)) as unknown,
        },
      },
    },
    responses: {
      '2XX': { description: 'Received' },
      '4XX': { description: 'Failed attempt' },
    },
  }
}

function headerOf(name: string, description: string, schema: object) {
  return { name, in: 'header', required: true, description, schema }
}
