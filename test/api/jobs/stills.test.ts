import test from 'ava'
import { bearer, signIn } from '../accounts.ts'
import { film, type Gateway, startGateway } from '../gateway.ts'

let gateway: Gateway

test.before(async () => {
  gateway = await startGateway()
})
test.after.always(() => gateway?.stop())

const still = { width: 320, height: 180, visuals: [{ type: 'TEXT', text: 'Hello' }] }

test('a payload without a type is an image on the stills route', async (t) => {
  const { get, post } = await gateway.customer()
  for (const payload of [still, { ...still, type: 'image' }]) {
    const reply = await post('/api/render/image/api-key', { payload })
    t.is(reply.statusCode, 202, reply.body)
    const { jobId, creditsReserved } = reply.json()
    t.is(creditsReserved, 1)
    t.is((await get(`/api/jobs/${jobId}`)).json().type, 'image')
  }
})

test('signed in, stills and their bulks have routes of their own', async (t) => {
  const { accountId } = await gateway.customer()
  const headers = bearer((await signIn(gateway, accountId)).accessToken)
  const send = async (url: string, body: object) =>
    await gateway.server.inject({ method: 'POST', url, headers, body })
  t.is((await send('/api/render/image', { payload: still })).statusCode, 202)
  const bulk = await send('/api/render/image/bulk', { payload: still, items: [{}] })
  t.is(bulk.statusCode, 202, bulk.body)
  t.is((await send('/api/render/validate', { payload: still })).json().valid, true)
})

test('a bulk on the route for stills makes images of all items', async (t) => {
  const { get, post } = await gateway.customer()
  const payload = { ...still, visuals: [{ type: 'TEXT', text: '{{ word }}' }] }
  const items = [{ variables: { word: 'a' } }, { variables: { word: 'b' } }]
  const reply = await post('/api/render/image/bulk/api-key', { payload, items })
  t.is(reply.statusCode, 202, reply.body)
  const { jobs } = (await get(`/api/render/bulk/${reply.json().bulkId}`)).json()
  t.deepEqual(
    jobs.map(({ type }: { type: string }) => type),
    ['image', 'image'],
  )
})

test('the routes for stills refuse another type by its field', async (t) => {
  const { post } = await gateway.customer()
  for (const path of ['/api/render/image/api-key', '/api/render/image/bulk/api-key']) {
    const items = path.includes('bulk') ? { items: [{}] } : {}
    for (const type of ['video', 'Image', null]) {
      const reply = await post(path, { payload: { ...still, type }, ...items })
      t.is(reply.statusCode, 400)
      t.is(reply.json().details[0].field, 'type')
      t.regex(reply.json().message, /type must be "image" here\. Got /)
    }
    const timed = await post(path, { payload: { ...still, duration: 2 }, ...items })
    t.is(timed.json().details[0].field, 'duration')
  }
})

test('the routes for stills render a stored template of an image', async (t) => {
  const { post } = await gateway.customer()
  const store = async (payload: object) =>
    (await post('/api/templates', { name: 'a', payload })).json().id
  const image = await store({ ...still, type: 'image' })
  const video = await store(film)
  t.is((await post('/api/render/image/api-key', { template: image })).statusCode, 202)
  const refused = await post('/api/render/image/api-key', { template: video })
  t.deepEqual([refused.statusCode, refused.json().details[0].field], [422, 'template'])
})

test('the schema is served without /api-key as well', async (t) => {
  const [signedIn, withKey] = await Promise.all(
    ['', '/api-key'].map((end) => gateway.server.inject(`/api/render/schema${end}`)),
  )
  t.is(signedIn?.body, withKey?.body)
})
