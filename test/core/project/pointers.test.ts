import test from 'ava'
import { plans } from '../../../core/accounts/plans.ts'
import { createItemValidator, readBulk } from '../../../core/project/bulk.ts'
import { pointerInto } from '../../../core/project/pointers.ts'
import { validateRequest } from '../../../core/project/validate.ts'

/** `field → pointer` of each fault, or of each warning of a valid request. */
function places(body: unknown, options: Parameters<typeof validateRequest>[2] = {}): string[] {
  const validated = validateRequest(body, plans.studio, options)
  const found = 'faults' in validated ? validated.faults : validated.resolution.warnings
  return found.map(({ field, pointer }) => `${field} → ${pointer}`)
}

test('a pointer points into the sent body, a field into the project', (t) => {
  const body = {
    payload: { name: 'é', variables: [] },
    ...{ variables: [], overrides: { name: 5 } },
  }
  t.deepEqual(places(body), [
    'name → /payload/name',
    'variables → /payload/variables',
    'variables → /variables',
    'overrides.name → /overrides/name',
  ])
})

test("the request's variables and the project's have different pointers", (t) => {
  const body = { payload: { variables: { a: '{{ a }}' } }, variables: { b: '{{ b }}' } }
  t.deepEqual(places(body).toSorted(), [
    'variables.a → /payload/variables/a',
    'variables.b → /variables/b',
  ])
})

test('a key with a dot, slash or tilde is one pointer part', (t) => {
  const style = { 'x.y': 'z' }
  const body = { payload: { visuals: [{ type: 'TEXT', text: 'a', style }], 'p/q~r': 1 } }
  t.deepEqual(places(body), [
    'visuals[0].style.x.y → /payload/visuals/0/style/x.y',
    'p/q~r → /payload/p~1q~0r',
  ])
})

test('a fault in a placeholder’s value points to the placeholder', (t) => {
  const body = {
    payload: { visuals: '{{ list }}' },
    variables: { list: [{ type: 'TEXT', text: '<' }] },
  }
  t.deepEqual(places(body), ['visuals[0].text → /payload/visuals'])
})

test('faults of a template point to its name in the body', (t) => {
  const body = { payload: { visuals: [{ type: 'TEXT' }] }, overrides: { width: 99_999 } }
  t.deepEqual(places(body, { payloadAt: '/template' }), [
    'overrides.width → /overrides/width',
    'visuals[0] → /template',
  ])
})

test('a warning has a pointer, too', (t) => {
  const visuals = [{ type: 'TEXT', text: '{{ a[0] }}', x: 50, y: 50 }]
  t.deepEqual(places({ payload: { visuals }, variables: { z: 1 } }), [
    'visuals[0].text → /payload/visuals/0/text',
    'variables.z → /variables/z',
  ])
})

test('pointers name a bulk’s item by index, or the common part', (t) => {
  const payload = { visuals: [{ type: 'TEXT', text: '{{ who }}', x: 50, y: 50 }], width: '{{ w }}' }
  const bulk = readBulk({ payload, items: [{}], variables: { w: 99_999 } }, plans.studio)
  if ('faults' in bulk) return t.fail()
  const judge = createItemValidator(bulk.base, plans.studio)
  const of = (item: unknown, index: number) => {
    const validated = judge(item, index)
    const found = 'faults' in validated ? validated.faults : validated.resolution.warnings
    return found.map(({ field, pointer }) => `${field} → ${pointer}`)
  }
  t.deepEqual(of({ variables: { who: 'x', typo: 1, w: 100 }, name: '{{ n }}' }, 3), [
    'overrides.name → /items/3/name',
    'variables.typo → /items/3/variables/typo',
  ])
  t.deepEqual(of({ variables: 5 }, 1), ['variables → /items/1/variables'])
  t.deepEqual(of({ variables: { who: 'x', a: '{{ a }}', w: 100 } }, 2), [
    'variables.a → /items/2/variables/a',
  ])
  t.deepEqual(of({ variables: { who: 'x' } }, 4), ['width → /payload/width'])
})

test('a missing field is pointed to where it should stand', (t) => {
  t.is(pointerInto({ a: [{}] }, 'a[0].src'), '/a/0/src')
  t.is(pointerInto({ a: [{}] }, 'a[7].src'), '/a')
  t.is(pointerInto({ list: [{ x: 1 }] }, 'list.0.x'), '/list/0/x')
  t.is(pointerInto([], ''), '')
})
