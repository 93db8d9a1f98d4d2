import test from 'ava'
import { drawFaults, faultKinds } from './schedule.ts'

test('a seed gives the same faults each time, another seed gives others', (t) => {
  const draw = (seed: number) => drawFaults({ seed, seconds: 600, hasDisk: true })
  t.deepEqual(draw(7), draw(7))
  t.notDeepEqual(draw(7), draw(8))
})

test('a minute has every fault, each mended, one at a time each', (t) => {
  for (let seed = 1; seed <= 200; seed += 1) {
    const faults = drawFaults({ seed, seconds: 60, hasDisk: true })
    t.deepEqual([...new Set(faults.map(({ kind }) => kind))].toSorted(), faultKinds.toSorted())
    for (const [i, { target, atMs, lastsMs }] of faults.entries()) {
      t.true(atMs + lastsMs <= 60_000)
      const later = faults.slice(i + 1).filter((each) => each.target === target)
      t.true(later.every((each) => each.atMs > atMs + lastsMs))
    }
  }
})

test('a machine without small disks has all other faults', (t) => {
  const kinds = new Set(
    drawFaults({ seed: 1, seconds: 60, hasDisk: false }).map(({ kind }) => kind),
  )
  t.deepEqual([...kinds].toSorted(), faultKinds.filter((kind) => kind !== 'fill disk').toSorted())
})
