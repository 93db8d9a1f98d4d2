import test from 'ava'
import { retryAfterMs } from '../../../runtime/outbound/retry-after.ts'

const now = Date.parse('2026-11-25T08:49:30Z')

test('Retry-After is read as seconds or as an HTTP date', (t) => {
  t.is(retryAfterMs('2', now), 2_000)
  t.is(retryAfterMs(' 0 ', now), 0)
  t.is(retryAfterMs('Wed, 25 Nov 2026 08:49:37 GMT', now), 7_000)
  t.is(retryAfterMs('Wednesday, 25-Nov-26 08:49:37 GMT', now), 7_000)
  t.is(retryAfterMs('Wed, 25 Nov 2026 08:00:00 GMT', now), 0, 'a moment that is over')
})

test('a Retry-After that is neither says nothing, a vast one is capped', (t) => {
  for (const value of [undefined, '', '-3', '1.5', 'soon', '1e9', ['2'], 'Wed, 99 Foo 2026']) {
    t.is(retryAfterMs(value, now), undefined, String(value))
  }
  t.is(retryAfterMs('999999999', now), 3_600_000)
})
