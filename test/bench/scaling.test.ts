import test from 'ava'
import { dayOfBursts, daySeconds, steadyLoad } from '../../bench/scaling/load.ts'
import { type Policy, secondsOf, simulate } from '../../bench/scaling/simulate.ts'

const seed = 5
const zero = { cpu: 0, gpu: 0 }
const load = dayOfBursts(seed)
const day = (policy: Policy) => simulate(load, { policy, seed, seconds: daySeconds })
const bySeconds = day({ by: 'seconds', least: zero })

test('the same seed gives the same day', (t) => {
  t.deepEqual(day({ by: 'seconds', least: zero }), bySeconds)
  t.notDeepEqual(dayOfBursts(seed + 1).jobs, load.jobs)
})

test('pools that follow seconds of work do a whole day from zero', (t) => {
  t.is(bySeconds.unfinished, 0)
  t.true(bySeconds.taken > 0, 'spot machines were taken away')
})

test('seconds of work cost less than the length of the queue', (t) => {
  const byLength = day({ by: 'length', least: zero })
  t.true(bySeconds.cost < byLength.cost, `${bySeconds.cost} and ${byLength.cost}`)
})

test('a fixed fleet of the same waiting time costs more', (t) => {
  const fixed = day({ by: 'fixed', machines: { cpu: 24, gpu: 12 } })
  const p95 = ({ waits }: { waits: readonly number[] }) => secondsOf(waits)[1] ?? 0
  t.true(fixed.cost > 2 * bySeconds.cost, `${fixed.cost} and ${bySeconds.cost}`)
  t.true(p95(bySeconds) <= 300, `${p95(bySeconds)} s`)
})

test('a fleet follows steady work within a tenth', (t) => {
  const seconds = 4 * 3_600
  const steady = steadyLoad({ slots: 40, seconds })
  const { followed } = simulate(steady, {
    ...{ policy: { by: 'seconds', least: zero }, seed, seconds, isSpot: false },
  })
  const late = followed.slice(60)
  const mean = (of: (each: (typeof late)[number]) => number) =>
    late.reduce((sum, each) => sum + of(each), 0) / late.length
  const [slots, wanted] = [mean((each) => each.slots), mean((each) => each.wanted)]
  t.true(Math.abs(slots - wanted) <= 0.1 * wanted, `${slots} slots for ${wanted}`)
})
