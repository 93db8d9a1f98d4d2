import test from 'ava'
import { EnvError } from '../../runtime/env.ts'
import { readSealKeys, seal, unseal } from '../../runtime/seal.ts'

const long = (letter: string) => letter.repeat(32)
const keysOf = (list: string) => readSealKeys({ FARM_SEAL_KEYS: list }, 'the farm’s own secret')

test('a sealed text opens only under its own purpose', (t) => {
  const keys = keysOf('')
  const sealed = seal(keys, 'whsec_é', 'webhook 1')
  t.regex(sealed, /^farm\.[A-Za-z0-9_-]+$/)
  t.not(seal(keys, 'whsec_é', 'webhook 1'), sealed)
  t.is(unseal(keys, sealed, 'webhook 1'), 'whsec_é')
  t.throws(() => unseal(keys, sealed, 'webhook 2'))
  const flipped = sealed.slice(0, 20) + (sealed[20] === 'A' ? 'B' : 'A') + sealed.slice(21)
  t.throws(() => unseal(keys, flipped, 'webhook 1'))
  t.throws(() => unseal(readSealKeys({}, 'another secret'), sealed, 'webhook 1'))
})

test('keys are rotated: the first seals, the others open', (t) => {
  const before = seal(keysOf(''), 'text', 'it')
  const keys = keysOf(`k2:${long('b')},k1:${long('a')},farm:the farm’s own secret`)
  t.is(unseal(keys, before, 'it'), 'text')
  const now = seal(keys, 'text', 'it')
  t.true(now.startsWith('k2.'))
  t.is(unseal(keysOf(`k3:${long('c')},k2:${long('b')}`), now, 'it'), 'text')
  t.throws(() => unseal(keysOf(`k3:${long('c')}`), now, 'it'), { message: /must have the key k2/ })
})

test('short, odd or twice named keys are refused without being repeated', (t) => {
  for (const list of ['k1:short', 'nothing', `K 1:${long('a')}`, `a:${long('a')},a:${long('b')}`]) {
    const error = t.throws(() => keysOf(list), { instanceOf: EnvError }, list)
    t.false(error?.message.includes(list))
  }
})
