import test from 'ava'
import fc from 'fast-check'
import { createPatch } from 'rfc6902'
import { patched } from '../../../core/project/json-patch.ts'
import { makeReport } from '../../../core/project/report.ts'
import type { PatchOperation } from '../../../core/project/schema/draft.ts'

const document = { a: [1, 2, { 'b/c': 'x', '~': null }], d: { e: true } }

function apply(operations: readonly PatchOperation[], to: Record<string, unknown> = document) {
  const report = makeReport('invalid_value')
  const result = patched(to, operations, report)
  return { result, faults: report.faults }
}

test('operations of RFC 6902 change a copy of the document', (t) => {
  const before = structuredClone(document)
  for (const [operations, result] of [
    [[{ op: 'add', path: '/a/1', value: 9 }], { ...document, a: [1, 9, 2, document.a[2]] }],
    [[{ op: 'add', path: '/a/-', value: 9 }], { ...document, a: [...document.a, 9] }],
    [[{ op: 'add', path: '/d/f', value: [] }], { ...document, d: { e: true, f: [] } }],
    [[{ op: 'remove', path: '/a/2/b~1c' }], { ...document, a: [1, 2, { '~': null }] }],
    [
      [{ op: 'replace', path: '/a/2/~0', value: 1 }],
      { ...document, a: [1, 2, { 'b/c': 'x', '~': 1 }] },
    ],
    [[{ op: 'move', from: '/d', path: '/g' }], { a: document.a, g: { e: true } }],
    [[{ op: 'copy', from: '/a/0', path: '/d/e' }], { ...document, d: { e: 1 } }],
    [[{ op: 'replace', path: '', value: { only: 1 } }], { only: 1 }],
    [[{ op: 'test', path: '/d', value: { e: true } }], document],
  ] as const) {
    const { result: got, faults } = apply(operations)
    t.deepEqual(faults, [], JSON.stringify(operations))
    t.deepEqual(got, result, JSON.stringify(operations))
  }
  t.deepEqual(document, before)
})

test('an operation that cannot be applied is named, and nothing is applied', (t) => {
  for (const [operation, field] of [
    [{ op: 'add', path: '/a/4', value: 1 }, 'patch[1].path'],
    [{ op: 'add', path: '/a/01', value: 1 }, 'patch[1].path'],
    [{ op: 'add', path: '/x/y', value: 1 }, 'patch[1].path'],
    [{ op: 'add', path: '/d' }, 'patch[1].value'],
    [{ op: 'remove', path: '' }, 'patch[1].path'],
    [{ op: 'remove', path: '/a/length' }, 'patch[1].path'],
    [{ op: 'remove', path: '/a/-' }, 'patch[1].path'],
    [{ op: 'remove', path: '/toString' }, 'patch[1].path'],
    [{ op: 'replace', path: '/d/x', value: 1 }, 'patch[1].path'],
    [{ op: 'replace', path: '', value: [] }, 'patch[1]'],
    [{ op: 'move', path: '/d/e/f', from: '/d' }, 'patch[1].path'],
    [{ op: 'move', path: '/d' }, 'patch[1].from'],
    [{ op: 'copy', path: '/z', from: '/y' }, 'patch[1].from'],
    [{ op: 'test', path: '/d', value: {} }, 'patch[1].value'],
    [{ op: 'add', path: '/__proto__/x', value: 1 }, 'patch[1].path'],
    [{ op: 'add', path: '/constructor', value: 1 }, 'patch[1].path'],
  ] as const) {
    const { result, faults } = apply([{ op: 'add', path: '/first', value: 1 }, operation])
    t.is(result, undefined, JSON.stringify(operation))
    t.deepEqual(
      faults.map((fault) => fault.field),
      [field],
      JSON.stringify(operation),
    )
  }
})

test('copies of copies end at a limit instead of filling the memory', (t) => {
  const doubling = Array.from(
    { length: 40 },
    (): PatchOperation => ({ op: 'copy', from: '/a', path: '/a/-' }),
  )
  const { result, faults } = apply(doubling, { a: [[1]] })
  t.is(result, undefined)
  t.is(faults.length, 1)
})

test('a patch between any two documents leads from one to the other', (t) => {
  const safe = fc
    .string({ maxLength: 4 })
    .filter((key) => !/^(__proto__|constructor|prototype)$/.test(key))
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 3 },
      fc.integer(),
      fc.string({ maxLength: 3 }),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(safe, tie('tree'), { maxKeys: 3, noNullPrototype: true }),
    ),
  }))
  const object = fc.dictionary(safe, tree, { maxKeys: 4, noNullPrototype: true })
  fc.assert(
    fc.property(object, object, (from, to) => {
      const operations = createPatch(from, to) as PatchOperation[]
      const { result, faults } = apply(operations, from as Record<string, unknown>)
      t.deepEqual(faults, [])
      t.deepEqual(result, to)
    }),
    { numRuns: 200 },
  )
})
