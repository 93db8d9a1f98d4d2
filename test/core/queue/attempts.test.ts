import test from 'ava'
import type { Retry } from '../../../core/errors.ts'
import { decideRetry } from '../../../core/queue/attempts.ts'

const message = 'The address must answer with status 200. Got 503'

/** The verdict on the n-th time that an address failed the task. */
function decide(
  unreachable: number,
  { retry, random = 0 }: { retry?: Retry; random?: number } = {},
) {
  const failure = { code: 'media_unreachable', message, failures: 1 } as const
  return decideRetry({ ...failure, unreachable, retry, random: () => random })
}
const delayOf = (verdict: ReturnType<typeof decide>) =>
  verdict.verdict === 'retry' ? verdict.delayMs : undefined

test('failing addresses are asked five times, after 1, 4, 10, 10 s', (t) => {
  const delays = [1, 2, 3, 4, 5].map((tries) => delayOf(decide(tries)))
  t.deepEqual(delays, [1_000, 4_000, 10_000, 10_000, undefined])
  t.deepEqual(decide(5), { verdict: 'end', message: `${message}, in the last of 5 attempts` })
})

test('jitter lengthens a wait by a fifth at most', (t) => {
  t.is(delayOf(decide(2, { random: 0.5 })), 4_400)
  t.is(delayOf(decide(2, { random: 1 })), 4_800)
})

test('an address may ask for a longer wait, up to a minute', (t) => {
  t.is(delayOf(decide(1, { retry: { afterMs: 7_000 } })), 7_000)
  t.is(delayOf(decide(3, { retry: { afterMs: 2_000 } })), 10_000, 'never a shorter one')
  t.is(delayOf(decide(1, { retry: { afterMs: 3_600_000 } })), 60_000)
})

test('a certain answer ends the task at once, without telling of tries', (t) => {
  t.deepEqual(decide(1, { retry: { triesMax: 1 } }), { verdict: 'end', message })
})

test('an address fails a task for no node, broken nodes for themselves', (t) => {
  t.like(decide(1), { isOfNode: false })
  const broken = { code: 'internal', message, failures: 1, unreachable: 0 } as const
  t.deepEqual(decideRetry(broken), { verdict: 'retry', delayMs: 0, isOfNode: true })
  t.is(decideRetry({ ...broken, failures: 3 }).verdict, 'end')
})
