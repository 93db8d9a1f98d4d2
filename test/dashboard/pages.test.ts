import test from 'ava'
import fc from 'fast-check'
import { plans } from '../../core/accounts/plans.ts'
import { groupedReasons } from '../../dashboard/src/bulks/grouped-reasons.ts'
import { aDay, lastsFor } from '../../dashboard/src/credits/forecast.ts'
import { askedOf, filterOf, queryOf, statesIn } from '../../dashboard/src/jobs/job-query.ts'
import { everyDay } from '../../dashboard/src/overview/every-day.ts'
import { browserOf } from '../../dashboard/src/settings/browser-of.ts'
import { limitName, limitValue } from '../../dashboard/src/settings/limits.ts'
import { readVariables, variablesOf } from '../../dashboard/src/templates/variables.ts'
import { bytes, credits, duration, relativeTime } from '../../dashboard/src/words/format.ts'
import { hostsIn } from '../../dashboard/src/words/hosts-in.ts'

test('lengths, sizes and credits read as people write them', (t) => {
  t.deepEqual([0, 4.24, 9.96, 59.6, 65, 3600, 7385].map(duration), [
    ...['0.0 s', '4.2 s', '10 s', '1 min 00 s', '1 min 05 s', '1 h 00 min', '2 h 03 min'],
  ])
  t.deepEqual([0, 999, 1234, 99_600, 1e6, 2.5e9].map(bytes), [
    ...['0 B', '999 B', '1.2 kB', '100 kB', '1.0 MB', '2.5 GB'],
  ])
  t.deepEqual([1, 1200].map(credits), ['1 credit', '1,200 credits'])
})

test('a time is told in the largest fitting unit', (t) => {
  const now = Date.parse('2026-01-10T12:00:00Z')
  const told = ['2026-01-10T11:59:30Z', '2026-01-10T11:00:00Z', '2026-01-12T12:00:00Z']
  t.deepEqual(
    told.map((time) => relativeTime(time, now)),
    ['30 sec ago', '1 hr ago', 'in 2 days'],
  )
})

test('days without use are bars of nothing', (t) => {
  const used = [{ date: '2026-01-09', credits: 5, jobs: 2 }]
  const days = everyDay(used, { count: 3, today: new Date('2026-01-10T01:00:00Z') })
  t.deepEqual(days, [
    { date: '2026-01-08', credits: 0, jobs: 0 },
    { date: '2026-01-09', credits: 5, jobs: 2 },
    { date: '2026-01-10', credits: 0, jobs: 0 },
  ])
})

test('a filter survives its way through the address', (t) => {
  fc.assert(
    fc.property(
      fc.record({ state: fc.string(), search: fc.string({ minLength: 1 }) }),
      (filter) => {
        const given = Object.fromEntries(new URLSearchParams(queryOf(filter)))
        t.deepEqual({ state: '', ...filterOf(given) }, { ...filter })
      },
    ),
  )
  t.is(queryOf({}), '')
})

test('a span of the filter is a time that the API reads', (t) => {
  const now = '2026-03-08T12:00:00.000Z'
  t.deepEqual(askedOf({ from: 'day', state: 'failed' }, now), {
    ...{ state: 'failed', createdFrom: '2026-03-07T12:00:00.000Z' },
  })
  for (const from of ['', 'constructor', 'no span']) t.deepEqual(askedOf({ from }, now), {})
})

test('credits last as long as the days before used them', (t) => {
  t.is(lastsFor(900, { spent: 60, days: 30 }), '450 days')
  t.is(lastsFor(1, { spent: 30, days: 30 }), '1 day')
  t.is(lastsFor(1_000_000, { spent: 1, days: 30 }), 'more than 10 years')
  t.is(lastsFor(900, { spent: 0, days: 30 }), '')
  t.is(aDay({ spent: 61, days: 30 }), '2 a day')
  t.is(aDay({ spent: 5, days: 30 }), 'less than 1 a day')
  t.is(aDay({ spent: 0, days: 30 }), '')
})

test('a filter may name several states', (t) => {
  t.deepEqual(statesIn({ state: 'queued,failed' }), ['queued', 'failed'])
  t.is(statesIn({}).length, 7)
})

test('failed jobs are grouped, the most frequent reason first', (t) => {
  const failed = [
    ...[
      { id: 'a', failedReason: 'one' },
      { id: 'b', failedReason: null },
    ],
    ...[
      { id: 'c', failedReason: 'two' },
      { id: 'd', failedReason: 'two' },
    ],
  ]
  t.deepEqual(groupedReasons(failed)[0], { reason: 'two', ids: ['c', 'd'] })
})

test('a form keeps texts as texts and reads the rest as JSON', (t) => {
  const variables = variablesOf({ variables: { code: '007', price: 12, tags: ['a'] } })
  const given = new FormData()
  for (const [name, text] of [
    ['code', '008'],
    ['price', '13.5'],
    ['tags', '["b"'],
  ] as const) {
    given.set(name, text)
  }
  t.deepEqual(readVariables(variables, given), { code: '008', price: 13.5, tags: '["b"' })
})

test('hosts of all addresses are found, with their ports', (t) => {
  const text =
    '{"src":"http://store.internal:9000/a.jpg","html":"<img src=\\"https://example.com/b\\">"}'
  t.deepEqual(hostsIn(text), ['store.internal:9000', 'example.com:443'])
  t.deepEqual(hostsIn('{"src":"file:///etc/passwd"}'), [])
})

test('a browser is named by its user agent', (t) => {
  const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36'
  t.is(browserOf(chrome), 'Chrome on Linux')
  t.is(browserOf(null), 'Unknown browser')
  t.is(browserOf('curl/8.5'), 'curl/8.5')
})

test('a plan’s limits are told in words and units', (t) => {
  const told = Object.entries(plans.free).map(
    ([name, value]) => `${limitName(name)}: ${limitValue(name, value)}`,
  )
  t.true(told.includes('Place or size of a crop: 16,384 px'))
  t.true(told.includes('Length of a film: 5 min 00 s'))
  t.true(told.includes('Outputs are kept: 7 days'))
  t.deepEqual(
    told.filter((line) => /[a-z][A-Z]/.test(line)),
    [],
  )
  t.is(`${limitName('ofANewerFarm')}: ${limitValue('ofANewerFarm', 1000)}`, 'ofANewerFarm: 1,000')
})
