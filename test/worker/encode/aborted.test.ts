import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { runOwnFfmpeg } from '../../../worker/process/fluent.ts'
import { type OneShot, runFenced } from '../../../worker/process/one-shot.ts'
import { sandbox } from './film-of.ts'

const limits = { memoryBytes: 2 ** 29, cpuSeconds: 5, fileBytes: 4_096 }
const fence = { read: [], write: [], limits }
const timeoutMs = 60_000
const why = new Error('cancelled by a test')

type Start = (signal: AbortSignal) => Promise<unknown>

/** Sound without an end, read as fast as it plays. */
function endless(): [Readable, OneShot] {
  const silence = Buffer.alloc(65_536)
  const source = new Readable({ read: () => void source.push(silence) })
  const options = ['-nostdin', '-re', '-f', 'f32le', '-ar', '48000', '-ac', '2']
  const outputs = [{ target: '-', options: ['-f', 'null'] }]
  return [source, { inputs: [{ source, options }], outputs }]
}

/** Ways to run a program, most behind a fence; each runs far longer than this test. */
const ways: Readonly<Record<string, Start>> = {
  'a fenced command of ffmpeg': (signal) =>
    runFenced(endless()[1], { sandbox, fence, timeoutMs, signal }),
  'a command of fluent-ffmpeg': (signal) => runOwnFfmpeg(endless()[1], { timeoutMs, signal }),
  'a program': (signal) =>
    sandbox.run({ program: 'sleep', args: ['3600'], fence, timeoutMs, signal }),
}

/**
 * Aborts a program `ms` after its start and returns how it ended. A survivor holds its output open,
 * and is not waited for.
 */
async function abortedAfter(ms: number, start: Start): Promise<unknown> {
  const abort = new AbortController()
  const running = start(abort.signal)
  void sleep(ms).then(() => abort.abort(why))
  const livesOn = sleep(10_000, 'lives on', { ref: false })
  return Promise.race([running, livesOn]).catch((error: unknown) => error)
}

for (const [name, start] of Object.entries(ways)) {
  test(`${name} aborted in its first moments ends with all it started`, async (t) => {
    for (let ms = 0; ms < 60; ms += 6) {
      const each = Array.from({ length: 6 }, (_, index) => abortedAfter(ms + index, start))
      t.deepEqual(new Set(await Promise.all(each)), new Set([why]), `after ${ms} ms`)
    }
  })
}

test('a program that stops all reachable processes ends at its time limit', async (t) => {
  const args = ['-c', 'kill -STOP 0; sleep 3600']
  const stopped = sandbox.run({ program: 'sh', args, fence, timeoutMs: 1_000 })
  const livesOn = sleep(20_000, 'lives on', { ref: false })
  t.like(await Promise.race([stopped, livesOn]), { timedOut: true })
})

test('a failing stream ends the program reading it with the stream’s error', async (t) => {
  const failure = new Error('the sound cannot be mixed')
  const [source, shot] = endless()
  const running = runFenced(shot, { sandbox, fence, timeoutMs })
  void sleep(200).then(() => source.destroy(failure))
  t.is(await t.throwsAsync(running), failure)
})

test('a stream is closed when its program ends before it', async (t) => {
  for (const isFenced of [true, false]) {
    const [source, { inputs }] = endless()
    const shot = { inputs, outputs: [{ target: '-', options: ['-t', '0.1', '-f', 'null'] }] }
    if (isFenced) t.is((await runFenced(shot, { sandbox, fence, timeoutMs })).exitCode, 0)
    else t.is((await runOwnFfmpeg(shot, { timeoutMs })).reason, undefined)
    t.true(source.destroyed)
  }
})
