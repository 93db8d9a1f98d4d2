import test from 'ava'
import { type Gateway, renderPath, startGateway } from '../gateway.ts'

let gateway: Gateway

test.before(async () => {
  gateway = await startGateway()
})
test.after.always(() => gateway?.stop())

type Found = { readonly field: string; readonly pointer: string; readonly code: string }

/** Formats each as `field → pointer`. */
function places(found: readonly Found[]): string[] {
  return found.map(({ field, pointer }) => `${field} → ${pointer}`)
}

const words = { type: 'TEXT', text: '{{ who }}', x: 50, y: 50 }
const payload = { type: 'image', visuals: [words], variables: { who: 'x' } }
const late = { ...words, enterBegin: 2, enterEnd: 1 }

test('every route of submission points into the body as it was sent', async (t) => {
  const { post } = await gateway.customer()
  const body = { payload: { ...payload, visuals: [late] }, overrides: { width: 99_999 } }
  for (const path of [renderPath, '/api/render/validate/api-key', '/api/credits/estimate']) {
    const { details } = (await post(path, body)).json()
    t.deepEqual(
      places(details).toSorted(),
      ['overrides.width → /overrides/width', 'visuals[0].enterEnd → /payload/visuals/0/enterEnd'],
      path,
    )
  }
})

test("faults of a stored payload point to the template's name", async (t) => {
  const { post } = await gateway.customer()
  const width = '{{ w }}'
  const stored = { name: 't', payload: { ...payload, width, variables: { who: 'x', w: 100 } } }
  const { id } = (await post('/api/templates', stored)).json()
  const reply = await post(renderPath, { template: id, variables: { w: 99_999 } })
  t.deepEqual(places(reply.json().details), ['width → /template'])
  const preview = await post(`/api/templates/${id}/preview`, { variables: { w: 99_999 } })
  t.deepEqual(places(preview.json().details), ['width → '])
  const told = await post('/api/render/validate/api-key', {
    ...{ template: id, variables: { hwo: 'x' } },
  })
  t.deepEqual(places(told.json().warnings), ['variables.hwo → /variables/hwo'])
})

test('a fault of an item has its index in the pointer', async (t) => {
  const { post } = await gateway.customer()
  const items = [{ variables: { who: '<' } }, { name: 5 }, { variables: { who: 'x' } }]
  const some = (await post('/api/render/bulk/api-key', { payload, items })).json()
  t.deepEqual(
    some.errors.map(({ details }: { details: Found[] }) => places(details)),
    [['visuals[0].text → /payload/visuals/0/text'], ['name → /items/1/name']],
  )
  const none = await post('/api/render/bulk/api-key', { payload, items: items.slice(0, 2) })
  t.is(none.statusCode, 400)
  t.true(places(none.json().details).includes('name → /items/1/name'))
})

test('a job tells its warnings with pointers into the request', async (t) => {
  const { post, get } = await gateway.customer()
  const { jobId } = (await post(renderPath, { payload, variables: { hwo: 'x' } })).json()
  const job = (await get(`/api/jobs/${jobId}`)).json()
  t.deepEqual(places(job.warnings), ['variables.hwo → /variables/hwo'])
  t.is(job.warnings[0].code, 'unused_variable')
})
