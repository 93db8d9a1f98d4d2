import test from 'ava'
import fc from 'fast-check'
import { plans } from '../../../core/accounts/plans.ts'
import { readRequest } from '../../../core/project/read.ts'
import { resolveRequest } from '../../../core/project/resolve.ts'

/**
 * Requests of up to 2 MB that try to cost more than they weigh. Each must end with an answer of
 * bounded size. No clock is needed: quadratic work on two million characters exceeds ava's
 * time-out.
 */

const text = (html: string, more: object = {}) => ({ type: 'TEXT', html, ...more })
const svg = (inner: string) => ({ type: 'SVG', svg: `<svg>${inner}</svg>` })
const many = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i))
/** Repeats `piece` up to `length` characters. */
const filled = (piece: string, length = 190_000) => piece.repeat(Math.floor(length / piece.length))

/** Ten elements of different markup. */
const inHtml = (piece: string) => ({ visuals: many(10, (i) => text(`${i}${filled(piece)}`)) })
const inStyle = (piece: string) => ({
  visuals: many(10, (i) => text(`${i}<div style="${filled(piece)}">x</div>`)),
})
const inSheet = (piece: string) => ({
  visuals: many(10, (i) => svg(`<style>a{${filled(piece)}}</style><g id="g${i}"/>`)),
})

const doubling = Object.fromEntries(many(100, (i) => [`v${i}`, `{{ v${i + 1} }}{{ v${i + 1} }}`]))

/** Name, payload, and the request's variables. */
const bombs: readonly (readonly [string, object, object?])[] = [
  ['words', inHtml(' a')],
  ['one long word', inHtml('a')],
  ['styled spans', inHtml('<span style="color:#fff;font-size:3px">a</span>')],
  ['spans of functions', inHtml('<b style="color:rgb(1,2,3)">x</b>')],
  ['spans that cannot be read', inHtml('<b style="((:">x</b>')],
  ['tags in tags', inHtml('<div>')],
  ['rows in rows', inHtml('<div style="display:flex">a')],
  ['broken references', inHtml('&a')],
  ['open braces', inHtml('{{')],
  ['half a placeholder', inHtml('{{a.')],
  [
    'a placeholder that never ends',
    { visuals: [text(`{{${filled(' ')}`), text(`{{a${filled('.a')}`)] },
  ],
  ['empty declarations', inStyle(':;')],
  ['open quotes', inStyle("':")],
  ['closed brackets', inStyle('();')],
  ['open comments', inStyle('/*')],
  ['escapes', { visuals: [text(`<div style="${filled('\\\\')}">x</div>`)] }],
  ['a sheet of empty declarations', inSheet(':;')],
  ['a sheet of rules', inSheet('}a{b:c')],
  ['a sheet of ampersands', inSheet('&')],
  ['a sheet of at-rules', inSheet('}@a{')],
  [
    'families',
    { visuals: many(400, (i) => text(`${i}`, { style: { fontFamily: filled('a,', 4000) } })) },
  ],
  [
    'texts on texts',
    { visuals: many(2000, (i) => text(`${i}${filled('a<br>', 450)}`, { x: i % 7 })) },
  ],
  ['equal texts on equal texts', { visuals: many(2000, () => text(filled('a<br>', 450))) }],
  [
    'cards under cards',
    {
      visuals: many(2000, (i) =>
        text(filled('<div style="background:#fff">a</div>', 450), { x: i % 50 }),
      ),
    },
  ],
  [
    'hosts',
    {
      visuals: many(1000, (i) => ({ type: 'IMAGE', src: `https://${filled('a.', 1900)}com/${i}` })),
    },
  ],
  ['variables that double', { variables: doubling, visuals: [text('{{ v0 }}')] }],
  [
    'one text in 25,000 places',
    { visuals: many(10, () => text(filled('{{ a }}'))) },
    { a: filled('x', 200) },
  ],
  [
    'clones of much',
    { scenes: [{ iterate: 'a', visuals: many(9, () => text(filled('x'))) }] },
    { a: many(500, (i) => i) },
  ],
  [
    'clones of clones',
    { scenes: many(20, () => ({ iterate: 'a', visuals: many(100, () => text('{{ item }}')) })) },
    { a: many(500, (i) => i) },
  ],
  [
    'names nearly right',
    { visuals: many(6000, (i) => ({ type: 'TEXT', text: 'a', [`enterAnimatio${i}`]: 1 })) },
  ],
  [
    'a text of variables nearly right',
    { visuals: [text(many(17_000, (i) => `{{nam${i}}}`).join(''))] },
    Object.fromEntries(many(4000, (i) => [`name${i}`, i])),
  ],
  ['a name of nothing but variables', { name: many(150_000, (i) => `{{w${i}}}`).join('') }],
  [
    'variables of undefined variables',
    {
      variables: Object.fromEntries(many(19_000, (i) => [`v${i}`, `{{v${i + 1}}}{{w${i}}}`])),
      visuals: many(10, (n) => text(many(9000, (i) => `{{v${i}}}{{x${n}}}`).join(''))),
    },
  ],
  [
    'circles in circles',
    {
      variables: Object.fromEntries(
        many(15_000, (i) => [`v${i}`, `{{v${i + 1}}}{{v0}}{{v${i >> 1}}}`]),
      ),
    },
  ],
  [
    'scenes with the same long chain',
    {
      variables: Object.fromEntries(many(9000, (i) => [`v${i}`, `{{v${i + 1}}}`])),
      scenes: many(3000, () => ({ variables: { a: 1 }, visuals: '{{v0}}' })),
    },
  ],
  [
    'variables nearly right',
    { visuals: many(4000, (i) => text(`{{ nam${i} }}`)) },
    Object.fromEntries(many(4000, (i) => [`name${i}`, i])),
  ],
]

/** The largest answer: expanded placeholders, in JSON, and the sent payload. */
const maxAnswer = 12_000_000

for (const [title, payload, variables] of bombs) {
  test(`a request of ${title} gets its answer`, (t) => {
    const body = { payload, ...(variables && { variables }) }
    t.true(JSON.stringify(body).length < 2_200_000)
    const read = readRequest(body)
    const answer = 'faults' in read ? read : resolveRequest(read.request, plans.studio)
    t.true(JSON.stringify(answer).length < maxAnswer)
    if ('faults' in answer) t.true(answer.faults.length > 0)
    else t.true(answer.warnings.length <= 100)
  })
}

test('JSON of any depth is refused without being walked by recursion', (t) => {
  const around = (open: string, close: string) =>
    JSON.parse(`{"payload":${open.repeat(1e5)}1${close.repeat(1e5)}}`)
  for (const body of [around('[', ']'), around('{"a":', '}'), around('[{"visuals":', '}]')]) {
    t.like(readRequest(body), { faults: [{ message: 'must be nested <= 64 levels deep.' }] })
  }
})

test('references of any kind give a bounded result, the same each time', (t) => {
  const names = ['a', 'b', 'c', 'd', 'e']
  const anyReference = fc.constantFrom(...names.map((name) => `{{ ${name} }}`))
  /** Most references name later variables, so that few requests are circular. */
  const values = names.map((_, n) => {
    const later = names.slice(n + 1).map((name) => `{{ ${name} }}`)
    const reference = fc.oneof(
      { arbitrary: fc.constantFrom('x', ...later), weight: 60 },
      { arbitrary: anyReference, weight: 1 },
    )
    return fc.oneof(
      fc.array(reference, { minLength: 1, maxLength: 30 }).map((parts) => parts.join('')),
      fc.array(reference, { minLength: 1, maxLength: 30 }),
      fc.integer({ min: 1, max: 2000 }).map((length) => 'x'.repeat(length)),
    )
  })
  const scene = fc.record({
    duration: fc.constant(0.1),
    iterate: fc.constantFrom('list', 'list', ...names),
    visuals: fc.array(
      anyReference.map((html) => text(html)),
      { maxLength: 9 },
    ),
  })
  const request = fc.record({
    variables: fc.record({
      ...Object.fromEntries(names.map((name, n) => [name, values[n] ?? anyReference])),
      list: fc.integer({ min: 1, max: 300 }).map((length) => many(length, (i) => i)),
    }),
    payload: fc.record({ scenes: fc.array(scene, { maxLength: 2 }) }),
  })
  const seen = { resolved: 0, refused: 0 }
  const property = fc.property(request, (body) => {
    const read = readRequest(body)
    if ('faults' in read) throw new Error(JSON.stringify(read.faults))
    const first = resolveRequest(read.request, plans.studio)
    const answer = JSON.stringify(first)
    t.true(answer.length < maxAnswer)
    t.is(JSON.stringify(resolveRequest(read.request, plans.studio)), answer)
    seen['faults' in first ? 'refused' : 'resolved']++
  })
  fc.assert(property, { numRuns: 100 })
  t.true(seen.resolved > 5 && seen.refused > 5, JSON.stringify(seen))
})
