import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { repeat } from '../../runtime/repeat.ts'

const never = 1_000_000
const fail = (error: unknown) => {
  throw error
}

test('turns follow each other after the pause, one at a time', async (t) => {
  let running = 0
  let most = 0
  const began: number[] = []
  const loop = repeat({
    everyMs: 30,
    async run() {
      began.push(performance.now())
      running += 1
      most = Math.max(most, running)
      await sleep(20)
      running -= 1
    },
    onError: fail,
  })
  await sleep(200)
  await loop.stop()
  t.is(most, 1)
  t.true(began.length >= 3)
  for (const [i, at] of began.entries()) if (i > 0) t.true(at - (began[i - 1] ?? 0) >= 45)
})

test('a turn that answers true is followed by the next at once', async (t) => {
  let turns = 0
  const { promise, resolve } = Promise.withResolvers<void>()
  const run = async () => {
    turns += 1
    if (turns === 5) resolve()
    return turns < 5
  }
  const loop = repeat({ everyMs: never, run, onError: fail })
  await promise
  await loop.stop()
  t.is(turns, 5)
})

test('a failed turn is reported, and the turns go on', async (t) => {
  const errors: unknown[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  let turns = 0
  const run = async () => {
    turns += 1
    if (turns > 2) resolve()
    else throw new Error(`turn ${turns}`)
  }
  const loop = repeat({ everyMs: 1, run, onError: (error) => errors.push(String(error)) })
  await promise
  await loop.stop()
  t.deepEqual(errors, ['Error: turn 1', 'Error: turn 2'])
})

test('a wake during a turn begins the next one right after it', async (t) => {
  let turns = 0
  const { promise, resolve } = Promise.withResolvers<void>()
  const loop = repeat({
    everyMs: never,
    async run() {
      turns += 1
      if (turns === 1) await sleep(20)
      else resolve()
    },
    onError: fail,
  })
  loop.wake()
  await promise
  await loop.stop()
  t.is(turns, 2)
})

test('stopping aborts the present turn, waits for it and begins no other', async (t) => {
  let turns = 0
  let isOver = false
  const loop = repeat({
    everyMs: 1,
    async run(stopping) {
      turns += 1
      await new Promise((resolve) => stopping.addEventListener('abort', resolve))
      await sleep(20)
      isOver = true
    },
    onError: fail,
  })
  await loop.stop()
  t.true(isOver)
  t.is(turns, 1)
})
