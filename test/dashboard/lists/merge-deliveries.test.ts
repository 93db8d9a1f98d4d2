import test from 'ava'
import fc from 'fast-check'
import {
  type Log,
  withNewest,
  withOlder,
} from '../../../dashboard/src/webhooks/merge-deliveries.ts'

type Sent = { readonly id: string; readonly createdAt: string }

const start = Date.parse('2026-01-01T00:00:00Z')
const sent = (n: number, minute: number): Sent => ({
  id: String(n).padStart(6, '0'),
  createdAt: new Date(start + minute * 60_000).toISOString(),
})
const inOrder = (all: readonly Sent[]) =>
  all.toSorted((a, b) =>
    a.createdAt === b.createdAt ? (a.id < b.id ? -1 : 1) : a.createdAt < b.createdAt ? 1 : -1,
  )

/** The page that the farm answers. */
function page(all: readonly Sent[], size: number, after: string | null = null): Log<Sent> {
  const from = after === null ? 0 : all.findIndex(({ id }) => id === after) + 1
  const deliveries = all.slice(from, from + size)
  return { deliveries, next: deliveries.length === size ? (deliveries.at(-1)?.id ?? null) : null }
}

const minutes = fc.array(fc.nat(40), { maxLength: 30 })

test('pages read one behind the other are the whole log', (t) => {
  fc.assert(
    fc.property(minutes, fc.integer({ min: 1, max: 7 }), (times, size) => {
      const all = inOrder(times.map((minute, n) => sent(n, minute)))
      let log = page(all, size)
      while (log.next !== null) log = withOlder(log, page(all, size, log.next))
      t.deepEqual(log.deliveries, all)
    }),
  )
})

test('a log that grows meanwhile has no gap and no delivery twice', (t) => {
  const older = fc.nat(4)
  fc.assert(
    fc.property(
      minutes,
      minutes,
      older,
      fc.integer({ min: 1, max: 7 }),
      (times, more, pages, size) => {
        const before = inOrder(times.map((minute, n) => sent(n, minute)))
        let log = page(before, size)
        for (let i = 0; i < pages && log.next !== null; i += 1) {
          log = withOlder(log, page(before, size, log.next))
        }
        const now = inOrder([...before, ...more.map((minute, n) => sent(1000 + n, 41 + minute))])
        log = withNewest(log, page(now, size))
        t.deepEqual(log.deliveries, now.slice(0, log.deliveries.length))
        while (log.next !== null) log = withOlder(log, page(now, size, log.next))
        t.deepEqual(log.deliveries, now)
      },
    ),
  )
})

test('a delivery that no longer matches the filter is gone', (t) => {
  const all = inOrder([1, 2, 3, 4].map((minute) => sent(minute, minute)))
  const log = withOlder(page(all, 2), page(all, 2, '000003'))
  const left = all.filter(({ id }) => id !== '000004')
  t.deepEqual(withNewest(log, page(left, 2)).deliveries, left)
})
