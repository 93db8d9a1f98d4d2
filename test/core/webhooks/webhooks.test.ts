import test from 'ava'
import { sampleHappening, webhookEvents, writeEnvelope } from '../../../core/webhooks/envelope.ts'
import {
  attemptTimeoutMs,
  disabledAfter,
  maxAnswerBytes,
  maxAttempts,
  retryDelay,
} from '../../../core/webhooks/schedule.ts'
import { type Attempt, attemptHeaders } from '../../../core/webhooks/signature.ts'

test('five attempts after 30/60/120/240 s, of 10 s and 64 KB each', (t) => {
  t.deepEqual(
    [1, 2, 3, 4, 5, 6].map((failed) => retryDelay(failed)),
    [30_000, 60_000, 120_000, 240_000, undefined, undefined],
  )
  t.is(retryDelay(5, [1, 2, 3, 4, 5, 6]), undefined)
  t.deepEqual(
    [maxAttempts, attemptTimeoutMs, maxAnswerBytes, disabledAfter],
    [5, 10_000, 65_536, 20],
  )
})

test('an envelope has the contract’s fields, and `test` only for a test', (t) => {
  for (const event of webhookEvents) {
    const happening = sampleHappening(event, '2026-01-02T03:04:05.678Z')
    const real = JSON.parse(writeEnvelope(happening))
    t.deepEqual(Object.keys(real), ['event', 'jobId', 'timestamp', 'data'])
    t.is(real.timestamp, '2026-01-02T03:04:05.678Z')
    t.deepEqual(JSON.parse(writeEnvelope(happening, true)), { ...real, test: true })
  }
  const failed = JSON.parse(writeEnvelope(sampleHappening('render.failed', '')))
  t.is(failed.data.error.details[0].pointer, '/visuals/0/src')
  const { data } = sampleHappening('render.completed', '')
  t.deepEqual(Object.keys(data).sort(), [
    ...['creditsCharged', 'duration', 'size', 'status', 'templateId', 'thumbnailUrl', 'url'],
  ])
})

test('an unsigned delivery has every header but the signatures', (t) => {
  const attempt: Attempt = {
    ...{ deliveryId: 'd', event: 'render.failed', jobId: 'j', timestamp: 12, body: '{}' },
  }
  const { 'content-type': type, 'user-agent': agent, ...headers } = attemptHeaders(attempt)
  t.is(type, 'application/json')
  t.truthy(agent)
  t.deepEqual(headers, {
    'X-Service-Event': 'render.failed',
    'X-Service-Delivery-Id': 'd',
    'X-Service-Timestamp': '12',
    'X-Service-Job-Id': 'j',
    'webhook-id': 'd',
    'webhook-timestamp': '12',
  })
  const signed = attemptHeaders(attempt, { own: 'ab', standard: ['x', 'y'] })
  t.is(signed['X-Service-Signature'], 'sha256=ab')
  t.is(signed['webhook-signature'], 'v1,x v1,y')
})
