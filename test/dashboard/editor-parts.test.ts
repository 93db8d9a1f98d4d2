import test from 'ava'
import fc from 'fast-check'
import { placeFor } from '../../dashboard/src/editor/draft.ts'
import { fieldsOf, readText, textOf, withValue } from '../../dashboard/src/editor/form.ts'
import { judge } from '../../dashboard/src/editor/judge.ts'
import {
  barsOf,
  firstMoment,
  lastMoment,
  momentAt,
  momentOf,
  spanOf,
} from '../../dashboard/src/editor/timeline-layout.ts'

const film = {
  variables: { items: [{ name: 'a' }, { name: 'b' }] },
  scenes: [
    {
      duration: 2,
      iterate: 'items',
      visuals: [
        {
          type: 'TEXT',
          text: '{{ item.name }}',
          enterBegin: 1,
          enterEnd: 1.5,
          enterAnimation: 'fade',
        },
      ],
    },
  ],
  visuals: [{ type: 'TEXT', text: 'over all', position: 'top-center' }],
  subtitle: { captions: [{ start: 0.5, end: 1, text: 'said' }] },
}

function outlineOf(project: object) {
  const asked = { variables: {}, overrides: {}, plan: 'free', trustedHosts: [] } as const
  const { outline, found } = judge({ ...asked, text: JSON.stringify(project) })
  if (!outline) throw new Error(JSON.stringify(found))
  return outline
}

test('the timeline lists scenes with their elements, then the rest, with paths', (t) => {
  const bars = barsOf(outlineOf(film))
  t.deepEqual(
    bars.map(({ type, field, label, begin, end }) => [type, field, label, begin, end]),
    [
      ['SCENE', 'scenes[0]', 'scene-1-1', 0, 2],
      ['TEXT', 'scenes[0].visuals[0]', 'a', 1, 2],
      ['SCENE', 'scenes[0]', 'scene-1-2', 2, 4],
      ['TEXT', 'scenes[0].visuals[0]', 'b', 3, 4],
      ['TEXT', 'visuals[0]', 'over all', 0, 4],
      ['SUBTITLE', 'subtitle', 'said', 0.5, 1],
    ],
  )
})

test('an element is shown from its entrance to its exit', (t) => {
  const [, text] = barsOf(outlineOf(film))
  t.is(text && momentOf(text), 1.75)
})

test('bars lie within the line, whatever their times', (t) => {
  const time = fc.double({ min: -5, max: 400, noNaN: true })
  fc.assert(
    fc.property(time, time, fc.double({ min: 0, max: 300, noNaN: true }), (a, b, seconds) => {
      const { left, width } = spanOf({ begin: Math.min(a, b), end: Math.max(a, b) }, seconds)
      t.true(left >= 0 && width > 0 && left + width <= 100.000001, `${left} ${width}`)
    }),
  )
})

test('no moment lies behind the last frame', (t) => {
  const outline = outlineOf(film)
  t.is(lastMoment(outline), 3.97)
  t.deepEqual(
    [-1, 0, 0.5, 1, 2].map((share) => momentAt(share, outline)),
    [0, 0, 2, 3.97, 3.97],
  )
  t.is(firstMoment(outline), 2)
})

test('a form has fields of the kinds of the project’s own values', (t) => {
  const variables = {
    title: 'Hello',
    story: 'long '.repeat(20),
    price: 12.5,
    sale: true,
    ink: '#00ff88',
    guests: ['Ada'],
  }
  const fields = fieldsOf({ variables })
  t.deepEqual(
    fields.map(({ kind }) => kind),
    ['line', 'lines', 'number', 'flag', 'color', 'json'],
  )
  t.deepEqual(fieldsOf({ variables: [] }), [])
  t.deepEqual(fieldsOf('no project'), [])
  for (const field of fields.filter(({ kind }) => kind !== 'flag')) {
    t.deepEqual(readText(field, textOf(field, field.value)), field.value, field.name)
  }
})

test('only values that differ from the project’s own are sent', (t) => {
  const [price] = fieldsOf({ variables: { price: 12 } })
  if (!price) return t.fail()
  const given = withValue({ other: 1 }, price, readText(price, '13'))
  t.deepEqual(given, { other: 1, price: 13 })
  t.deepEqual(withValue(given, price, readText(price, '12')), { other: 1 })
  t.is(readText(price, 'twelve'), 'twelve')
})

test('unsaved work of each page has a place of its own', (t) => {
  const places = [{}, { job: 'a' }, { template: 'a' }, { example: 'a' }].map(placeFor)
  t.is(new Set(places).size, 4)
})
