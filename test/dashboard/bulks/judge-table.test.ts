import test from 'ava'
import { plans } from '../../../core/accounts/plans.ts'
import { judgeTable, type TableCourse } from '../../../dashboard/src/bulks/judge-table.ts'
import { suggestColumns } from '../../../dashboard/src/bulks/mapping.ts'
import { misfits, seenInWords, seenValues } from '../../../dashboard/src/bulks/seen-values.ts'

/** A table of New bulk: the kinds of its values, and its rows judged by the farm's rules. */

const payload = {
  ...{ type: 'image', width: 320, height: 180 },
  variables: { seat: 1, event: { day: 'Friday', time: 19 } },
  visuals: [{ type: 'TEXT', text: '{{ guest }} {{ seat }} {{ event.time }}' }],
}

/** Judges a table whose names are those of variables. `signal`: aborts it. */
async function judged(
  lines: string[][],
  { project = payload as Record<string, unknown>, signal = never } = {},
) {
  const course: TableCourse[] = []
  const names = lines[0] ?? []
  const answer = await judgeTable(
    {
      ...{ payload: project, lines, plan: 'free' },
      columns: suggestColumns(names, names),
    },
    { signal, onCourse: (told) => course.push(told) },
  )
  return { ...answer, course }
}
const never = new AbortController().signal

test('values of a column are counted by their kinds', (t) => {
  const rows = [
    ...[
      ['7', 'TRUE', '[1]', '{"a":1}', 'Ada'],
      ['0x10', 'no', '[', '[]', ''],
    ],
    ...[[''], [' ', ' ', ' ', ' ', ' '], ['8', 'false', '[]', '{}', '007']],
  ]
  const seen = seenValues([['a', 'b', 'c', 'd', 'e'], ...rows])
  t.deepEqual(seen.map(seenInWords), [
    '3 numbers, 1 empty',
    '2 true or false, 1 text, 1 empty',
    '2 lists, 1 text, 1 empty',
    '2 objects, 1 list, 1 empty',
    '2 empty, 1 text, 1 number',
  ])
  const types = ['number', 'flag', 'array', 'object', 'text'] as const
  t.deepEqual(
    seen.map((each, at) => misfits(each, types[at] ?? 'text')),
    [0, 1, 1, 1, 0],
  )
})

test('a single column keeps its blank lines as empty values', (t) => {
  t.deepEqual(seenValues([['guest'], ['Ada'], ['']]), [{ text: 1, empty: 1 }])
  t.deepEqual(seenValues([]), [])
})

test('a fault of a dotted variable names the row and the column', async (t) => {
  const { faults, course } = await judged([
    ...[
      ['guest', 'seat', 'event.time'],
      ['Ada', '1', '18.5'],
    ],
    ['Bob', '2', '7 pm'],
  ])
  t.deepEqual(
    faults.map(({ field, column }) => [field, column]),
    [['row 3', 'event.time']],
  )
  t.deepEqual(course, [
    { rows: [], empty: [], seen: [{ text: 2 }, { number: 2 }, { number: 1, text: 1 }] },
  ])
})

test('rows come before their judgement, which adds up their price', async (t) => {
  const { credits, faults, course } = await judged([
    ...[
      ['guest', 'seat'],
      ['Ada', '1'],
      ['', ''],
      ['Bob', ''],
    ],
  ])
  t.deepEqual([credits, faults], [2, []])
  const [first] = course
  t.like(first, { empty: [3], rows: { 0: { number: 2 }, 1: { number: 4 } } })
})

test('a judgement that is given up ends within a slice', async (t) => {
  const ending = new AbortController()
  const rows = Array.from({ length: 100_000 }, (_, i) => [`Guest ${i}`])
  const asked = judged([['guest'], ...rows], { signal: ending.signal })
  setTimeout(() => ending.abort(new Error('another table')))
  await t.throwsAsync(asked, { message: 'another table' })
})

test('as many rows as a bulk takes share the limit of markup', async (t) => {
  const text = 'x'.repeat(95_000)
  const visuals = [{ type: 'TEXT', html: `<p>{{ guest }}${text}</p>` }]
  const rows = (count: number) => Array.from({ length: count }, (_, i) => [`Guest ${i}`])
  const { bulkItems } = plans.free
  t.is(bulkItems, 50)
  const { faults } = await judged([['guest'], ...rows(120)], { project: { ...payload, visuals } })
  t.deepEqual(faults, [])
})
