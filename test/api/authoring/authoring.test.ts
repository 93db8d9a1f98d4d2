import test from 'ava'
import { starters } from '../../../core/library/starters.ts'
import { bearer, signIn } from '../accounts.ts'
import { film, type Gateway, startGateway } from '../gateway.ts'

let gateway: Gateway

test.before(async () => {
  gateway = await startGateway()
})
test.after.always(() => gateway?.stop())

const read = async (url: string) => (await gateway.server.inject(url)).json()

const broken = { ...film, frameRate: '99', visuals: [{ type: 'txt', html: '<b>Hi</b>' }] }

test('keys and dashboard tokens can repair a payload, with reasons', async (t) => {
  const { accountId, post } = await gateway.customer()
  const reply = await post('/api/render/repair/api-key', { payload: broken })
  t.is(reply.statusCode, 200, reply.body)
  const { repaired, changes, valid, remainingErrors } = reply.json()
  t.like(repaired, { frameRate: 60, visuals: [{ type: 'TEXT' }] })
  t.deepEqual(changes.map(({ path }: { path: string }) => path).toSorted(), [
    'frameRate',
    'visuals[0].type',
  ])
  t.like(changes[1], { action: 'set', from: '99', to: 60 })
  t.regex(changes[1].why, /must be <= 60/)
  t.deepEqual([valid, remainingErrors], [true, []])
  t.is((await post('/api/render/validate/api-key', { payload: repaired })).statusCode, 200)
  const headers = bearer((await signIn(gateway, accountId)).accessToken)
  const body = { payload: broken }
  const signedIn = { method: 'POST' as const, url: '/api/render/repair', headers, body }
  t.deepEqual((await gateway.server.inject(signedIn)).json(), reply.json())
})

test('a repair is free, makes no job, and leaves unknowns as errors', async (t) => {
  const { get, post } = await gateway.customer()
  const payload = { visuals: [{ type: 'IMAGE' }] }
  const reply = (await post('/api/render/repair/api-key', { payload })).json()
  t.like(reply, { repaired: payload, changes: [], valid: false })
  t.like(reply.remainingErrors[0], { field: 'visuals[0].src' })
  t.is((await get('/api/jobs')).json().total, 0)
  t.is((await get('/api/credits/balance')).json().reserved, 0)
  for (const body of [{}, { payload: 5 }, { payload, more: 1 }]) {
    t.is((await post('/api/render/repair/api-key', body)).statusCode, 400)
  }
})

test('elements are described with their fields, rules and an example that validates', async (t) => {
  const { post } = await gateway.customer()
  const { elements, total } = await read('/api/render/elements/api-key')
  t.deepEqual(elements, (await read('/api/render/elements')).elements)
  const types = elements.map(({ type }: { type: string }) => type)
  const known = ['IMAGE', 'GIF', 'VIDEO', 'TEXT', 'SVG', 'AUDIO', 'SUBTITLE', 'SCENE']
  t.deepEqual([types, total], [known, known.length])
  for (const { type, name, id, fields, requiredFields, example } of elements) {
    t.deepEqual([id, name], [type, type])
    t.true(fields.every(({ rule }: { rule: string }) => rule.length > 0))
    t.true(requiredFields.every((field: string) => Object.hasOwn(example, field)))
    const payload = ['IMAGE', 'GIF', 'VIDEO', 'TEXT', 'SVG'].includes(type)
      ? { ...film, visuals: [example] }
      : { ...film, ...placed(type, example) }
    const verdict = await post('/api/render/validate/api-key', { payload })
    t.is(verdict.statusCode, 200, `${type}: ${verdict.body}`)
  }
  const opacity = elements[3].fields.find(({ name }: { name: string }) => name === 'opacity')
  t.like(opacity, { rule: 'a number from 0 to 1', required: false, placeholder: true })
})

function placed(type: string, example: object) {
  if (type === 'AUDIO') return { audios: [example] }
  return type === 'SCENE' ? { scenes: [example] } : { subtitle: example }
}

test('one element is found by its type, in any case', async (t) => {
  for (const url of ['/api/render/elements/Text/api-key', '/api/render/elements/text']) {
    t.is((await read(url)).element.type, 'TEXT')
  }
  const { parts } = await read('/api/render/elements/api-key')
  for (const part of parts) {
    const { element } = await read(`/api/render/elements/${part.type.toLowerCase()}/api-key`)
    t.deepEqual(element, part)
  }
  const reply = await gateway.server.inject('/api/render/elements/circle/api-key')
  t.is(reply.statusCode, 404)
  t.regex(reply.json().message, /one of IMAGE, GIF, VIDEO, TEXT, SVG, AUDIO, SUBTITLE, SCENE/)
})

test('the examples are those clients ask for by name; each is valid', async (t) => {
  const { post } = await gateway.customer()
  const { examples } = await read('/api/render/examples/api-key')
  t.deepEqual(
    examples.map(({ name }: { name: string }) => name),
    ['promo-video', 'template-render', 'still-image', 'subtitles', 'webhook-flow'],
  )
  for (const { name, request } of starters) {
    t.deepEqual((await read(`/api/render/examples/${name}/api-key`)).example.request, request)
    const verdict = await post('/api/render/validate/api-key', request)
    t.is(verdict.statusCode, 200, `${name}: ${verdict.body}`)
    t.deepEqual(verdict.json().warnings, [], name)
  }
  t.is((await gateway.server.inject('/api/render/examples/none/api-key')).statusCode, 404)
  for (const path of ['/api/render/examples/api-key', '/api/render/examples']) {
    const byName = await read(`${path}?name=still-image`)
    t.deepEqual(byName, await read('/api/render/examples/still-image/api-key'))
    t.is((await gateway.server.inject(`${path}?name=none`)).statusCode, 404)
    t.is((await gateway.server.inject(`${path}?names=still-image`)).statusCode, 400)
  }
})

test('stock media are empty without a provider, and never an error', async (t) => {
  t.like(await read('/api/stock/providers'), { providers: [], total: 0 })
  const query = 'type=video&provider=pexels&query=sea&page=2&perPage=12'
  const found = await read(`/api/stock/search?${query}`)
  t.deepEqual(found, { items: [], providers: [], page: 2, perPage: 12, limit: 12, total: 0 })
  for (const type of ['image', 'gif', 'audio']) {
    t.is((await read(`/api/stock/search?type=${type}&query=`)).total, 0)
  }
})
