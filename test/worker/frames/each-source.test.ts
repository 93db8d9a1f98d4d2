import test from 'ava'
import { frameSourceNames } from '../../../worker/frames/sources.ts'
import { assertClose } from './by-each-source.ts'

test('each source makes nearly the frames that the painter makes', async (t) => {
  const taken = await assertClose(t, { films: 16, seed: 98 })
  for (const name of frameSourceNames.slice(0, -1)) {
    t.true((taken.get(name) ?? 0) >= 2, `${name} took ${taken.get(name) ?? 0} segments`)
  }
})
