import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { runFfmpeg } from '../../../worker/process/fluent.ts'
import { sandbox, workOf } from './film-of.ts'

const limits = { memoryBytes: 2 ** 29, cpuSeconds: 5, fileBytes: 4_096 }
const fence = { read: [], write: [], limits }
const timeoutMs = 60_000
const why = new Error('cancelled by a test')

type Start = (around: { dir: string; signal: AbortSignal }) => Promise<unknown>

/** Two ways to run a program behind a fence; each runs far longer than this test. */
const ways: Readonly<Record<string, Start>> = {
  'a command of fluent-ffmpeg': (around) => {
    const inputs = [{ source: 'sine=duration=3600', options: ['-re', '-f', 'lavfi'] }]
    const outputs = [{ target: '-', options: ['-f', 'null'] }]
    return runFfmpeg({ inputs, outputs }, { sandbox, fence, timeoutMs, ...around })
  },
  'a program': ({ signal }) =>
    sandbox.run({ program: 'sleep', args: ['3600'], fence, timeoutMs, signal }),
}

/**
 * Aborts a program `ms` after its start and returns how it ended. A survivor holds its output open,
 * and is not waited for.
 */
async function abortedAfter(ms: number, start: Start, dir: string): Promise<unknown> {
  const abort = new AbortController()
  const running = start({ dir, signal: abort.signal })
  void sleep(ms).then(() => abort.abort(why))
  const livesOn = sleep(10_000, 'lives on', { ref: false })
  return Promise.race([running, livesOn]).catch((error: unknown) => error)
}

for (const [name, start] of Object.entries(ways)) {
  test(`${name} that is aborted in its first moments ends with all that it started`, async (t) => {
    const { dir } = await workOf(t)
    for (let ms = 0; ms < 60; ms += 6) {
      const each = Array.from({ length: 6 }, (_, index) => abortedAfter(ms + index, start, dir))
      t.deepEqual(new Set(await Promise.all(each)), new Set([why]), `after ${ms} ms`)
    }
  })
}

test('a program that stops every process it can reach ends at its time limit', async (t) => {
  const args = ['-c', 'kill -STOP 0; sleep 3600']
  const stopped = sandbox.run({ program: 'sh', args, fence, timeoutMs: 1_000 })
  const livesOn = sleep(20_000, 'lives on', { ref: false })
  t.like(await Promise.race([stopped, livesOn]), { timedOut: true })
})
