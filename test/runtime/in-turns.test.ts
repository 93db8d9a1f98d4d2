import test from 'ava'
import { inTurns } from '../../runtime/in-turns.ts'

test('what has come meanwhile has its turn before long work ends', async (t) => {
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

test('what fails half-way fails for who asked', async (t) => {
  function* failing() {
    yield
    throw new Error('half-way')
  }
  await t.throwsAsync(inTurns(failing()), { message: 'half-way' })
})
