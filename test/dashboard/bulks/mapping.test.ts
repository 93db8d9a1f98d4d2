import test from 'ava'
import { fillable, itemOf, mapLines, suggestColumns } from '../../../dashboard/src/bulks/mapping.ts'

const payload = {
  variables: { seat: 1, accent: '#000', event: { day: 'Friday', time: '6 pm' }, unused: true },
  visuals: [{ type: 'TEXT', text: '{{ guest }} {{ event.time }}', html: '{{ seat }}{{ accent }}' }],
}

test('a column can fill what the project reads or declares', (t) => {
  t.deepEqual(fillable(payload), ['accent', 'event.time', 'guest', 'name', 'seat', 'unused'])
})

test('variables are suggested by name, each once', (t) => {
  const names = ['Seat', 'seat', 'Event Time', 'Accentt', 'shoe size']
  t.deepEqual(
    suggestColumns(names, fillable(payload)).map(({ variable }) => variable),
    ['', 'seat', 'event.time', 'accent', ''],
  )
})

test('cells follow their column to its variable', (t) => {
  const columns = [
    { name: 'A', variable: 'seat' },
    { name: 'B', variable: '' },
    { name: 'C', variable: 'guest' },
  ]
  const lines = [['A', 'B', 'C'], ['1', 'x', 'Ada'], ['2'], ['']]
  t.deepEqual(mapLines(lines, columns), [['seat', 'guest'], ['1', 'Ada'], ['2'], ['']])
})

test('a row without a name lets the farm name its film', (t) => {
  const row = { number: 2, variables: { a: 1 }, name: undefined }
  t.deepEqual(itemOf(row), { variables: { a: 1 } })
  t.deepEqual(itemOf({ ...row, name: 'Ada' }), { variables: { a: 1 }, name: 'Ada' })
})
