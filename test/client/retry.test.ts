import test from 'ava'
import { FarmApiError } from '../../client/farm-client.ts'
import { waitBeforeRetry } from '../../client/retry.ts'

function waitAfter(said: { status: number; code?: string; retryAfter?: number }, attempt = 1) {
  return waitBeforeRetry(new FarmApiError({ code: 'x', detail: '', ...said }), attempt)
}

test('only transient failures are retried', (t) => {
  for (const status of [429, 502, 503, 504]) t.not(waitAfter({ status }), undefined)
  t.not(waitAfter({ status: 0, code: 'unreachable' }), undefined)
  for (const status of [400, 401, 402, 404, 409, 422, 500]) {
    t.is(waitAfter({ status }), undefined, `${status}`)
  }
})

test('a duplicate of a running request is retried after the given time', (t) => {
  t.true(Number(waitAfter({ status: 409, code: 'conflict', retryAfter: 1 })) >= 1_000)
})

test('waits double up to eight seconds, never shorter than the farm asks', (t) => {
  const isBetween = (wait: number | undefined, low: number, high: number) =>
    t.true(wait !== undefined && wait >= low && wait <= high, `${wait}`)
  isBetween(waitAfter({ status: 503 }, 1), 250, 500)
  isBetween(waitAfter({ status: 503 }, 3), 1_000, 2_000)
  isBetween(waitAfter({ status: 503 }, 9), 4_000, 8_000)
  isBetween(waitAfter({ status: 429, retryAfter: 60 }, 1), 60_000, 60_000)
  t.is(waitAfter({ status: 429, retryAfter: 121 }, 1), undefined)
})
