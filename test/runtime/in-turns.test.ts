import test from 'ava'
import { inTurns } from '../../runtime/in-turns.ts'

test('other events are served before long work ends', async (t) => {
  let hasCome = false
  setImmediate(() => {
    hasCome = true
  })
  function* untilItHasCome() {
    while (!hasCome) yield
    return 'done'
  }
  t.is(await inTurns(untilItHasCome()), 'done')
})

test('an error half-way rejects for the caller', async (t) => {
  function* failing() {
    yield
    throw new Error('half-way')
  }
  await t.throwsAsync(inTurns(failing()), { message: 'half-way' })
})
