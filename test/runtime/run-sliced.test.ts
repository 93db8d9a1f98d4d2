import test from 'ava'
import { runSliced } from '../../runtime/run-sliced.ts'

test('other events are served before long work ends', async (t) => {
  let hasCome = false
  setImmediate(() => {
    hasCome = true
  })
  function* untilItHasCome() {
    while (!hasCome) yield
    return 'done'
  }
  t.is(await runSliced(untilItHasCome()), 'done')
})

test('an error half-way rejects for the caller', async (t) => {
  function* failing() {
    yield
    throw new Error('half-way')
  }
  await t.throwsAsync(runSliced(failing()), { message: 'half-way' })
})
