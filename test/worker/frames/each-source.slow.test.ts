import test from 'ava'
import { frameSourceNames } from '../../../worker/frames/sources.ts'
import { assertClose } from './by-each-source.ts'

test('each source makes nearly the painter’s frames, in many films', async (t) => {
  t.timeout(600_000)
  const taken = await assertClose(t, { films: 150 })
  for (const name of frameSourceNames.slice(0, -1)) {
    t.true((taken.get(name) ?? 0) >= 10, `${name} took ${taken.get(name) ?? 0} segments`)
  }
})
