import test from 'ava'
import fc from 'fast-check'
import { edited, editOf, repairedText, valueAtCaret } from '../../dashboard/src/editor/edits.ts'
import { judge } from '../../dashboard/src/editor/judge.ts'
import { findingsIn, repairIn } from '../../dashboard/src/editor/located.ts'
import { isTooDeep } from '../../dashboard/src/editor/nesting.ts'
import { placeInAddress } from '../../dashboard/src/editor/place-in-address.ts'
import { findPointer, placeOf, pointerAt } from '../../dashboard/src/editor/places.ts'

const asked = { variables: {}, overrides: {}, plan: 'free', trustedHosts: [] } as const
const sliceOf = (text: string, { from, to }: { from: number; to: number }) => text.slice(from, to)

/** Every pointer into a value, with the value. */
function pointersOf(value: unknown, at = ''): [string, unknown][] {
  const inner = typeof value === 'object' && value !== null ? Object.entries(value) : []
  return [
    [at, value],
    ...inner.flatMap(([key, each]) =>
      pointersOf(each, `${at}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`),
    ),
  ]
}

test('a pointer leads to its value, and back', (t) => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(0, 2), (value, indent) => {
      const text = JSON.stringify(value, null, indent)
      for (const [pointer, expected] of pointersOf(JSON.parse(text))) {
        const found = findPointer(text, pointer)
        t.true(found?.isWhole, pointer)
        if (!found) continue
        t.deepEqual(JSON.parse(sliceOf(text, found.value)), expected, pointer)
        t.is(pointerAt(text, found.value.from + 1), pointer)
      }
    }),
  )
})

test('an address names a place, none, or is broken', (t) => {
  t.is(placeInAddress('#/scenes/0/a%20b'), '/scenes/0/a b')
  t.is(placeInAddress('#/payload/scenes/0'), '/scenes/0')
  t.is(placeInAddress(''), undefined)
  t.is(placeInAddress('#sign-in'), undefined)
  t.is(placeInAddress('#%'), null)
  t.is(placeInAddress('#/a%E0'), null)
})

test('a text nested without an end gets one fault, at its start', (t) => {
  for (const text of ['['.repeat(20_000), `${'['.repeat(20_000)}${']'.repeat(20_000)}`]) {
    const [finding, ...others] = findingsIn(text, judge({ ...asked, text }))
    t.is(finding?.message, 'The text must be nested at most 200 levels deep.')
    t.is(finding?.from, 0)
    t.deepEqual(others, [])
  }
  t.false(isTooDeep(`${'['.repeat(200)}${']'.repeat(200)}[]`))
  t.true(isTooDeep('['.repeat(201)))
  t.false(isTooDeep(JSON.stringify({ text: '['.repeat(20_000), quote: '\\"[['.repeat(500) })))
})

test('a pointer that leads too far stops at the parent', (t) => {
  const text = '{ "visuals": [{ "type": "IMAGE" }] }'
  t.false(findPointer(text, '/visuals/0/src')?.isWhole)
  t.is(sliceOf(text, placeOf(text, '/visuals/0/src')), '{')
  t.is(sliceOf(text, placeOf(text, '/visuals')), '"visuals"')
  t.is(sliceOf(text, placeOf(text, '/visuals/0/type')), '"IMAGE"')
  t.deepEqual(placeOf('', '/a'), { from: 0, to: 0 })
})

test('faults stand at their values, also below broken syntax', (t) => {
  const text = '{ "visuals": [{ "type": "TEXT", "text": "Hi", "opacity": 7 }], "speed": 1 }'
  const findings = findingsIn(text, judge({ ...asked, text }))
  t.deepEqual(
    findings.map((finding) => [finding.field, sliceOf(text, finding)]),
    [
      ['visuals[0].opacity', '7'],
      ['speed', '1'],
    ],
  )
  const broken = '{ "duration": 2\n "name": "a" }'
  const [fault, ...others] = findingsIn(broken, judge({ ...asked, text: broken }))
  t.deepEqual(others, [])
  t.is(broken.slice(fault?.from, (fault?.from ?? 0) + 6), '"name"')
  t.regex(fault?.message ?? '', /Got "name"/)
})

test('a right project has an outline with its price and no faults', (t) => {
  const text = '{ "duration": 2.5, "visuals": [{ "type": "TEXT", "text": "Hi" }] }'
  const { outline, found, repair } = judge({ ...asked, text })
  t.deepEqual([outline?.credits, outline?.seconds, outline?.exact, repair], [3, 2.5, true, null])
  t.deepEqual(
    found.filter(({ severity }) => severity === 'error'),
    [],
  )
})

test('a quick fix mends one value and nothing else', (t) => {
  const text =
    '{"visuals":[{"type":"TEXT",\n  "text": "Hi",   "opacty": 1 , "width": "40"}], "duration": 2}'
  const findings = findingsIn(text, judge({ ...asked, text }))
  const rename = findings.find(({ field }) => field === 'visuals[0].opacty')?.fix
  const set = findings.find(({ field }) => field === 'visuals[0].width')?.fix
  if (!rename || !set) return t.fail('both must have a fix')
  t.is(edited(text, rename.edit), text.replace('opacty', 'opacity'))
  t.is(edited(text, set.edit), text.replace('"40"', '40'))
  const repaired = repairIn(text, judge({ ...asked, text }))
  t.is(repaired, text.replace('opacty', 'opacity').replace('"40"', '40'))
  t.true(judge({ ...asked, text: repaired ?? '' }).outline !== null)
})

test('a removed property takes its comma along, wherever it stands', (t) => {
  const change = { action: 'remove', from: 1, to: null, why: '' } as const
  const removed = (text: string, path: string) => {
    const edit = editOf(text, JSON.parse(text), { ...change, path })
    return edit && JSON.parse(edited(text, edit))
  }
  t.deepEqual(removed('{"a":1,"b":2,"c":3}', 'a'), { b: 2, c: 3 })
  t.deepEqual(removed('{"a":1, "b":2 ,"c":3}', 'b'), { a: 1, c: 3 })
  t.deepEqual(removed('{"a":1,\n"b":2\n}', 'b'), { a: 1 })
  t.deepEqual(removed('{"a":1}', 'a'), {})
  t.deepEqual(removed('{"l":[1, null, 3]}', 'l[1]'), { l: [1, 3] })
  t.is(removed('{"a":1}', 'z'), undefined)
})

test('a repair that the text does not show is written anew', (t) => {
  const change = { action: 'set', path: 'a', from: 1, to: 2, why: '' } as const
  t.deepEqual(JSON.parse(repairedText('{"a":1,"a":1}', { a: 3 }, [change])), { a: 3 })
})

test('an address replaces the value at the caret, or comes to it', (t) => {
  const put = (text: string) => {
    const caret = text.indexOf('|')
    const whole = text.replace('|', '')
    return edited(whole, valueAtCaret(whole, caret, 'https://a.example/b?c="d"'))
  }
  const url = String.raw`"https://a.example/b?c=\"d\""`
  t.is(put('{"src": "https://ol|d.example/", "x": 1}'), `{"src": ${url}, "x": 1}`)
  t.is(put('{"src": "|", "x": 1}'), `{"src": ${url}, "x": 1}`)
  t.is(put('{"src": |}'), `{"src": ${url}}`)
  t.is(put('{"src": |"old"}'), `{"src": ${url}"old"}`)
  t.is(put('|'), url)
})
