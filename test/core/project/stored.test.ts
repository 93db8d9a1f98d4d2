import test from 'ava'
import { plans } from '../../../core/accounts/plans.ts'
import { validateStored } from '../../../core/project/validate-stored.ts'
import { resolved } from './outcome.ts'

const words = { type: 'TEXT', text: 'Hello', x: 50, y: 50 }

test('a scene’s unlawful default length is a fault of a stored template', (t) => {
  const scenes = [{ duration: '{{ d }}', visuals: [words] }]
  const of = (payload: object) => validateStored(payload, plans.free)
  const [fault] = of({ scenes, variables: { d: -1 } }).faults
  t.is(fault?.field, 'payload.scenes[0].duration')
  t.is(fault?.pointer, '/payload/scenes/0/duration')
  const list = of({ scenes: '{{ s }}', variables: { s: [{ visuals: [words] }] } })
  t.is(list.faults[0]?.field, 'payload.scenes[0].duration')
  t.deepEqual(of({ scenes, variables: { d: 2 } }), { faults: [], warnings: [] })
})

test('a fault that a request can still fix warns in a template', (t) => {
  const late = { ...words, enterBegin: 2, enterEnd: 1 }
  const picture = { type: 'IMAGE', src: '{{ src }}' }
  const payload = {
    visuals: [late, picture, { ...words, text: '{{ who }}' }],
    variables: { src: 'http://127.0.0.1/a.png' },
  }
  const { faults, warnings } = validateStored(payload, plans.free)
  t.deepEqual(faults, [])
  t.deepEqual(warnings.map(({ field, code }) => `${field} ${code}`).toSorted(), [
    'visuals[0].enterEnd unrenderable_defaults',
    'visuals[1].src unrenderable_defaults',
    'visuals[2].text unrenderable_defaults',
  ])
})

test('a placeholder may stand for all of designer, whose inside stays untouched', (t) => {
  const designer = { layer: '{{ nothing }}' }
  const visuals = [
    { ...words, designer: '{{ v }}' },
    { ...words, y: 300, designer },
  ]
  const { payload } = resolved({ visuals, variables: { v: { locked: true } } })
  const [first, second] = payload.visuals as { designer: unknown }[]
  t.deepEqual(first?.designer, { locked: true })
  t.deepEqual(second?.designer, designer)
})
