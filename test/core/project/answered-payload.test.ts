import test from 'ava'
import { findLocalMedia, pointTo } from '../../../cli/render/local-media.ts'
import { readProjectFile } from '../../../cli/render/project-file.ts'
import { plans } from '../../../core/accounts/plans.ts'
import { validateRequest } from '../../../core/project/validate.ts'
import { listExamples } from '../../../examples/list.ts'

/** Payload that `validate` answers for a request. */
function payloadOf(request: unknown) {
  const validated = validateRequest(request, plans.studio)
  if ('faults' in validated) throw new Error(JSON.stringify(validated.faults))
  return JSON.parse(JSON.stringify(validated.resolution.payload))
}

test('the payload that validate answers is taken unchanged and answered alike', (t) => {
  const examples = listExamples()
  t.true(examples.length > 20)
  for (const { name, file, variables } of examples) {
    const request = readProjectFile(file, variables)
    const media = findLocalMedia(request, file)
    const urlOf = (_: unknown, i: number) => `https://media.example.com/${i}`
    const payload = payloadOf(pointTo(request, media, urlOf))
    t.deepEqual(payloadOf({ payload }), payload, name)
  }
})

test('an override’s name is answered in a form that payloads allow', (t) => {
  const payload = { duration: 1, visuals: [{ type: 'TEXT', text: 'x' }] }
  for (const [name, answered] of [
    ['Ünï/cödé!', 'Uni-code-'],
    ['../../etc/x', '------etc-x'],
    ['Zoë {{ x }}', 'Zoe -- x --'],
    ['宣伝', '--'],
    ['plain name_1-2', 'plain name_1-2'],
    ['ﷺ'.repeat(1000), '-'.repeat(1000)],
  ] as const) {
    const first = payloadOf({ payload, overrides: { name } })
    t.is(first.name.length <= 1000, true)
    if (!name.startsWith('ﷺ')) t.is(first.name, answered)
    t.deepEqual(payloadOf({ payload: first }), first)
  }
})
