import test from 'ava'
import { plans } from '../../../core/accounts/plans.ts'
import { createItemValidator, readBulk, requestOfItem } from '../../../core/project/bulk.ts'
import type { RenderRequest } from '../../../core/project/schema/request.ts'
import { validateRequest } from '../../../core/project/validate.ts'

const card = {
  variables: { greeting: 'Hello' },
  visuals: [
    { type: 'TEXT', html: '<b>{{ greeting }}, {{ who }}</b>' },
    {
      type: 'TEXT',
      html: '<i>the same in all, and faint</i>',
      style: { color: '#eeeeee' },
      y: 300,
    },
  ],
}
const base = { payload: card } as RenderRequest

function fieldsOf(body: unknown): string[] {
  const read = readBulk(body, plans.free)
  return 'faults' in read ? read.faults.map(({ field }) => field) : []
}

test('an item is judged as the render request that it stands for', (t) => {
  const judge = createItemValidator(base, plans.free)
  const items = [
    { variables: { who: 'Ada' } },
    { variables: { who: '<a href="x">Bob</a>' } },
    { variables: { greeting: 'Hi' } },
    { variables: { who: 'Cleo', greeting: '{{ who }}' }, name: 'for Cleo' },
  ]
  for (const item of [...items, ...items]) {
    const validated = judge(item)
    const alone = validateRequest(requestOfItem(base, item), plans.free)
    if ('faults' in alone) t.deepEqual(validated, alone)
    else t.deepEqual('resolution' in validated && validated.resolution, alone.resolution)
  }
})

test('an item’s variables win by name, its name wins over the overrides’', (t) => {
  const request = { ...base, variables: { a: 1, b: { c: 2, d: 3 } }, overrides: { name: 'all' } }
  const item = { variables: { b: { c: 4 } }, name: 'one' }
  t.deepEqual(requestOfItem(request, item), {
    payload: card,
    variables: { a: 1, b: { c: 4 } },
    overrides: { name: 'one' },
  } as never)
  t.deepEqual(requestOfItem(request, {}), request)
})

test('faults of the bulk itself are reported at once', (t) => {
  const items = [{}]
  t.deepEqual(fieldsOf({ payload: { ...card, frameRate: 61 }, items, jobId: 'x', color: 1 }), [
    'frameRate',
    'jobId',
    'color',
  ])
  t.deepEqual(fieldsOf({ payload: card }), ['items'])
  t.deepEqual(fieldsOf({ payload: card, items: {} }), ['items'])
  t.deepEqual(fieldsOf({ payload: card, items: Array(501).fill({}) }), ['items'])
  t.deepEqual(fieldsOf({ items }), [''])
  t.deepEqual(fieldsOf(null), [''])
})

test('a misshapen item, or one naming object internals, is refused alone', (t) => {
  const judge = createItemValidator(base, plans.free)
  const shapes = [
    ['Ada', ''],
    [{ who: 'Ada' }, 'who'],
    [{ variables: [] }, 'variables'],
    [{ jobId: 7 }, 'jobId'],
    [{ name: 'x'.repeat(1001) }, 'name'],
    [JSON.parse('{"variables": {"a": {"__proto__": {}}}}'), 'variables.a.__proto__'],
  ] as const
  for (const [item, field] of shapes) {
    const validated = judge(item)
    t.deepEqual('faults' in validated && validated.faults.map((fault) => fault.field), [field])
  }
})

test('many properties in all are no fault, while each item has few', (t) => {
  const variables = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`v${i}`, i]))
  const items = Array.from({ length: 300 }, () => ({ variables }))
  const read = readBulk({ payload: card, items }, plans.studio)
  t.false('faults' in read)
})

test('items that would take minutes are refused once enough was judged', (t) => {
  const wordy = { payload: { visuals: [{ type: 'TEXT', html: '{{ words }}' }] } } as RenderRequest
  const judge = createItemValidator(wordy, plans.free)
  const codes = Array.from({ length: 60 }, (_, i) => {
    const validated = judge({ variables: { words: `${i} ${'word '.repeat(39_000)}` } })
    return 'faults' in validated ? validated.faults[0]?.message : 'valid'
  })
  t.is(codes[0], 'valid')
  t.regex(codes.at(-1) ?? '', /must have <= 10000000 characters of distinct html and svg/)
})
