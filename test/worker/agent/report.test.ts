import { status } from '@grpc/grpc-js'
import test from 'ava'
import { pino } from 'pino'
import { report } from '../../../worker/agent/report.ts'

const log = pino({ level: 'silent' })

/** Reports until it is over, without waiting; the first `failures` tries fail with the code. */
async function triesOf(code: status, failures: number, stopAt = Number.POSITIVE_INFINITY) {
  const stop = new AbortController()
  let tries = 0
  let isTaken = false
  const tell = async () => {
    tries += 1
    if (tries <= failures) throw Object.assign(new Error('no'), { code })
    isTaken = true
  }
  const pause = async (before: number) => {
    if (before + 1 !== tries) throw new Error(`Pause ${before} came after try ${tries}`)
    if (tries === stopAt) stop.abort()
  }
  await report(tell, { signal: stop.signal, pause, log })
  return { tries, isTaken }
}

test('a report outlasts any absence of the schedulers', async (t) => {
  for (const code of [status.UNAVAILABLE, status.DEADLINE_EXCEEDED]) {
    t.deepEqual(await triesOf(code, 5_000), { tries: 5_001, isTaken: true })
  }
})

test('a report that is refused for good is not retried', async (t) => {
  for (const code of [
    status.NOT_FOUND,
    status.FAILED_PRECONDITION,
    status.INVALID_ARGUMENT,
    status.PERMISSION_DENIED,
  ]) {
    t.deepEqual(await triesOf(code, 9), { tries: 1, isTaken: false })
  }
})

test('a report at which a scheduler keeps failing is finally dropped', async (t) => {
  t.deepEqual(await triesOf(status.INTERNAL, 100), { tries: 101, isTaken: true })
  t.deepEqual(await triesOf(status.INTERNAL, 5_000), { tries: 120, isTaken: false })
  t.deepEqual(await triesOf(status.RESOURCE_EXHAUSTED, 5_000), { tries: 120, isTaken: false })
})

test('a report ends with the attempt', async (t) => {
  t.deepEqual(await triesOf(status.UNAVAILABLE, 5_000, 200), { tries: 200, isTaken: false })
})
