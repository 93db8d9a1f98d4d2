import test from 'ava'
import fc from 'fast-check'
import { plans } from '../../../core/accounts/plans.ts'
import { validateRequest } from '../../../core/project/validate.ts'

const fieldsOf = (body: unknown) => {
  const judgement = validateRequest(body, plans.studio)
  return 'faults' in judgement ? judgement.faults.map(({ field }) => field) : []
}

test('faults of shape and of meaning come in one answer', (t) => {
  const visuals = [
    { type: 'TEXT' },
    { type: 'TEXT', text: 'a', exitBegin: 3, exitEnd: 1 },
    { type: 'TEXT', text: '<x>' },
    { type: 'SVG', svg: '<svg><script/></svg>' },
    { type: 'TEXT', text: '{{nope}}' },
    { type: 'IMAGE', src: 'http://127.0.0.1/' },
  ]
  const scenes = [{ id: 'a' }, { id: 'a', transition: 'foo' }]
  t.deepEqual(fieldsOf({ payload: { width: 1.5, visuals, scenes } }).toSorted(), [
    'scenes[1].id',
    'scenes[1].transition',
    'visuals[0]',
    'visuals[1].exitEnd',
    'visuals[2].text',
    'visuals[3].svg',
    'visuals[4].text',
    'visuals[5].src',
    'width',
  ])
})

test('a place whose shape is wrong is named once', (t) => {
  t.deepEqual(fieldsOf({ payload: { visuals: 5, scenes: [7], duration: 'long' } }).toSorted(), [
    'duration',
    'scenes[0]',
    'visuals',
  ])
})

test('unreadable variables cause no faults where they are used', (t) => {
  const visuals = [{ type: 'TEXT', text: '{{a}}' }]
  t.deepEqual(fieldsOf({ payload: { visuals }, variables: 5 }), ['variables'])
})

const whole = {
  payload: {
    width: 320,
    variables: { a: [1, 2], b: 'x' },
    visuals: [
      { type: 'IMAGE', src: 'https://example.com/a.png', zoom: { depth: 2 }, filter: { blur: 3 } },
      { type: 'TEXT', text: '{{b}}', style: { color: 'red' } },
    ],
    audios: [{ src: 'https://example.com/a.mp3', enter: 1, exit: 2 }],
    scenes: [{ id: 's', iterate: 'a', condition: '{{b}}', transition: 'fade', duration: 2 }],
  },
  overrides: { width: 640 },
}

/** Every place of a value, as keys from its root. */
function placesIn(value: unknown, path: (string | number)[] = []): (string | number)[][] {
  if (typeof value !== 'object' || value === null) return [path]
  const entries = Object.entries(value)
  return [path, ...entries.flatMap(([key, each]) => placesIn(each, [...path, key]))]
}

test('a body with anything at any place is judged, never crashed on', (t) => {
  const place = fc.constantFrom(...placesIn(whole).filter((path) => path.length > 0))
  const change = fc.record({ place, value: fc.jsonValue({ maxDepth: 3 }) })
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
      const body = structuredClone(whole) as Record<string, unknown>
      for (const { place, value } of changes) {
        let holder: unknown = body
        for (const key of place.slice(0, -1)) holder = (holder as never)?.[key]
        if (typeof holder === 'object' && holder !== null) {
          Object.assign(holder, { [String(place.at(-1))]: value })
        }
      }
      validateRequest(body, plans.studio)
    }),
    { numRuns: 2000 },
  )
  t.pass()
})

test('linting can be skipped without changing the project', (t) => {
  const body = { payload: { duration: 2, visuals: [{ type: 'TEXT', text: 'far', x: 9000 }] } }
  const validated = (lint: boolean) => {
    const judgement = validateRequest(body, plans.studio, { lint })
    if ('faults' in judgement) throw new Error(JSON.stringify(judgement.faults))
    return judgement.resolution
  }
  t.true(validated(true).warnings.length > 0)
  t.deepEqual(validated(false), { ...validated(true), warnings: [] })
})
