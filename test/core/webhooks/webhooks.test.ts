import test from 'ava'
import { readNewWebhook, readWebhookChange } from '../../../core/webhooks/endpoint.ts'
import { sampleHappening, webhookEvents, writeEnvelope } from '../../../core/webhooks/envelope.ts'
import {
  attemptTimeoutMs,
  disabledAfter,
  maxAnswerBytes,
  maxAttempts,
  retryDelay,
} from '../../../core/webhooks/schedule.ts'
import { type Attempt, attemptHeaders } from '../../../core/webhooks/signature.ts'

test('five attempts, after 30, 60, 120 and 240 seconds, of 10 seconds and 64 KB each', (t) => {
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

test('an envelope has the fields of the contract, and `test` only when it is one', (t) => {
  for (const event of webhookEvents) {
    const happening = sampleHappening(event, '2026-01-02T03:04:05.678Z')
    const real = JSON.parse(writeEnvelope(happening))
    t.deepEqual(Object.keys(real), ['event', 'jobId', 'timestamp', 'data'])
    t.is(real.timestamp, '2026-01-02T03:04:05.678Z')
    t.deepEqual(JSON.parse(writeEnvelope(happening, true)), { ...real, test: true })
  }
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

test('every fault of an endpoint comes in one answer', (t) => {
  const read = readNewWebhook(
    { url: 'http://10.0.0.1/', events: ['render.started'], status: 'active', description: 'a\0b' },
    { trustedHosts: [] },
  )
  const fields = 'faults' in read ? read.faults.map(({ field }) => field) : []
  t.deepEqual(fields.sort(), ['description', 'events[0]', 'status', 'url'])
  for (const body of [null, [], 'x', {}, { url: 'https://example.com/', events: [] }]) {
    t.true('faults' in readNewWebhook(body, { trustedHosts: [] }), JSON.stringify(body))
  }
})

test('events are kept once each, and a change may have any of its fields', (t) => {
  const url = 'https://example.com/hook'
  const events = ['render.failed', 'render.failed']
  t.deepEqual(readNewWebhook({ url, events }, { trustedHosts: [] }), {
    value: { url, events: ['render.failed'] },
  })
  t.deepEqual(readWebhookChange({ status: 'disabled' }, { trustedHosts: [] }), {
    value: { status: 'disabled' },
  })
  t.true('faults' in readWebhookChange({ status: 'paused' }, { trustedHosts: [] }))
  t.true('faults' in readWebhookChange({ secret: 'mine' }, { trustedHosts: [] }))
})
