import test from 'ava'
import { fuzzGateway } from '../fuzzed-gateway.ts'

const seconds = 60
const seed = 20_261_121

test('the gateway answers a minute of fuzzing as its document says', async (t) => {
  t.timeout(10 * 60_000)
  const { code, report } = await fuzzGateway({ seconds, seed })
  t.is(code, 0, report)
})
