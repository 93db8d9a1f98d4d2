import test from 'ava'
import fc from 'fast-check'
import { plans } from '../../../core/plans.ts'
import { readRequest } from '../../../core/project/read.ts'
import { resolveRequest } from '../../../core/project/resolve.ts'
import type { ResolvedProject } from '../../../core/project/resolved.ts'
import { RenderRequest } from '../../../core/project/schema/request.ts'
import { arbitraryOf } from './schema-arbitrary.ts'

const names = ['a', 'b', 'c']
const value = fc.oneof(
  fc.integer({ min: 1, max: 100 }),
  fc.integer({ min: 2, max: 9 }),
  fc.constantFrom('x', '#fff', true, false, 0, '', null),
  fc.constantFrom('{{b}}', 'with {{c}}', '{{a.0}}'),
  fc.array(fc.constantFrom(1, 'two', { n: 3 }), { maxLength: 3 }),
)
const variables = fc.dictionary(fc.constantFrom(...names), value)
const condition = fc.constantFrom(true, 1, '{{a}}', '{{b}}', '{{item}}', '{{none}}')
const text = fc.constantFrom('plain', 'a {{a}}', '{{b}} and {{c}}', 'of {{a.0}}')

const visual = fc.record(
  {
    type: fc.constant('text'),
    html: text,
    x: fc.oneof(fc.integer({ min: -50, max: 50 }), fc.constant('{{c}}')),
    enterEnd: fc.constantFrom(0, 1, '{{c}}'),
    condition,
  },
  { requiredKeys: ['type', 'html'] },
)
const visuals = fc.array(visual, { maxLength: 3 })

const scene = fc.record(
  {
    id: fc.constantFrom('one', 'two', 'three', 'four', 's-{{b}}'),
    duration: fc.constantFrom(-1, 1, 2.5),
    transition: fc.constantFrom('fade', null),
    transitionId: fc.constantFrom('one', 'none'),
    iterate: fc.constantFrom('a', '{{b}}'),
    variables,
    condition,
    visuals,
  },
  { requiredKeys: [] },
)

const request = fc.record(
  {
    payload: fc.record(
      {
        variables,
        visuals,
        scenes: fc.array(scene, { maxLength: 4 }),
        width: fc.constant('{{a}}'),
      },
      { requiredKeys: [] },
    ),
    variables: fc.record({ a: value, b: value, c: value }, { requiredKeys: ['a', 'b', 'c'] }),
    overrides: fc.record(
      { width: fc.integer({ min: 1, max: 99 }), resolution: fc.constantFrom('sd', 'custom') },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: ['payload'] },
)

/** Where items stand in the request changes when clones are written out; nothing else may. */
function withoutFields(project: ResolvedProject): unknown {
  return JSON.parse(JSON.stringify(project, (key, inner) => (key === 'field' ? undefined : inner)))
}

test('resolving is deterministic and leaves the request as it was', (t) => {
  const property = fc.property(request, (body) => {
    const before = structuredClone(body)
    const read = readRequest(body)
    if ('faults' in read) throw new Error(JSON.stringify(read.faults))
    const first = resolveRequest(read.request, plans.free)
    t.deepEqual(resolveRequest(read.request, plans.free), first)
    t.deepEqual(body, before)
  })
  fc.assert(property, { numRuns: 300 })
})

test('resolving what has been resolved changes nothing', (t) => {
  let resolvedOnes = 0
  const property = fc.property(request, (body) => {
    const read = readRequest(body)
    if ('faults' in read) throw new Error(JSON.stringify(read.faults))
    const first = resolveRequest(read.request, plans.free)
    if ('faults' in first) return
    resolvedOnes++
    const again = readRequest({ payload: first.payload })
    if ('faults' in again) throw new Error(JSON.stringify(again.faults))
    const second = resolveRequest(again.request, plans.free)
    if ('faults' in second) throw new Error(JSON.stringify(second.faults))
    t.deepEqual(withoutFields(second.project), withoutFields(first.project))
  })
  fc.assert(property, { numRuns: 500 })
  t.true(resolvedOnes > 50)
})

test('no body makes the language throw', (t) => {
  const schema = arbitraryOf(RenderRequest as never)
  const property = fc.property(fc.oneof(schema, fc.jsonValue(), fc.anything()), (body) => {
    const read = readRequest(body)
    if ('request' in read) resolveRequest(read.request, plans.free)
  })
  t.notThrows(() => fc.assert(property, { numRuns: 400 }))
})
