import test from 'ava'
import { freshSecondsOf } from '../../../runtime/outbound/freshness.ts'

const cases: readonly [Record<string, string | string[]>, number][] = [
  [{}, 0],
  [{ 'cache-control': 'max-age=60' }, 60],
  [{ 'cache-control': 'public, MAX-AGE=3600, immutable' }, 3600],
  [{ 'cache-control': 'max-age="60"' }, 60],
  [{ 'cache-control': 'max-age=60', age: '45' }, 15],
  [{ 'cache-control': 'max-age=60', age: '90' }, 0],
  [{ 'cache-control': ['max-age=60', 'max-age=5'] }, 5],
  [{ 'cache-control': 'no-cache, max-age=60' }, 0],
  [{ 'cache-control': 'max-age=60, no-store' }, 0],
  [{ 'cache-control': 'max-age=-1' }, 0],
  [{ 'cache-control': 'max-age=1e9' }, 0],
  [{ 'cache-control': 's-maxage=60' }, 0],
  [{ 'cache-control': 'max-age=31536000' }, 86_400],
  [{ expires: 'Mon, 16 Nov 2126 08:00:00 GMT' }, 0],
]

for (const [headers, seconds] of cases) {
  test(`an answer with ${JSON.stringify(headers)} stands for ${seconds} seconds`, (t) => {
    t.is(freshSecondsOf(headers), seconds)
  })
}
