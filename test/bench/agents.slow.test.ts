import test from 'ava'
import { measureAgents, sharesOf } from '../../bench/api/agents.ts'

test('agents get tools at half the rate of profiles at least', async (t) => {
  const turns = await measureAgents(3, 1_000)
  for (const era of ['modern', 'legacy'] as const) {
    const { median, min, max } = sharesOf(turns, era)
    t.true(median >= 0.5, `${era}: ${median} (${min} .. ${max})`)
  }
})
