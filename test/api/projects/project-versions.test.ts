import test from 'ava'
import { film, type Gateway, startGateway } from '../gateway.ts'

let gateway: Gateway

test.before(async () => {
  gateway = await startGateway()
})
test.after.always(() => gateway?.stop())

async function withDraft() {
  const customer = await gateway.customer()
  const { id } = (await customer.post('/api/projects', { name: 'A draft', payload: film })).json()
  return { ...customer, path: `/api/projects/${id}` }
}
const replace = (path: string, value: unknown) => ({ patch: [{ op: 'replace', path, value }] })

test('a patch changes part of the payload and answers the remaining faults', async (t) => {
  const { send, get, path } = await withDraft()
  const mended = await send('PATCH', path, replace('/visuals/0/html', '<b>Bye</b>'))
  t.is(mended.statusCode, 200, mended.body)
  t.like(mended.json(), { version: 2, valid: true })
  t.is(mended.json().payload.visuals[0].html, '<b>Bye</b>')
  const broken = await send('PATCH', path, replace('/width', 0))
  t.like(broken.json(), { version: 3, valid: false, creditsRequired: null })
  t.deepEqual((await get(path)).json(), broken.json())
})

test('a bare JSON Patch is taken under its own media type', async (t) => {
  const { key, path } = await withDraft()
  const patch = async (type: string, body: unknown) =>
    await gateway.server.inject({
      ...{ method: 'PATCH', url: path, payload: JSON.stringify(body) },
      headers: { 'x-api-key': key, 'content-type': type },
    })
  const type = 'application/json-patch+json'
  const [operation] = replace('/width', 400).patch
  const done = await patch(`${type}; charset=utf-8`, [operation])
  t.like(done.json(), { version: 2, payload: { width: 400 } })
  const refused = await patch(type, [operation, { op: 'remove', path: '/visuals/7' }])
  t.is(refused.statusCode, 422)
  t.like(refused.json().details[0], { field: 'patch[1].path', pointer: '/1/path' })
  for (const [wrongType, body, status] of [
    [type, { patch: [operation] }, 400],
    [type, [{ op: 'swap', path: '/width' }], 400],
    ['application/json', [operation], 400],
    ['application/merge-patch+json', { width: 1 }, 415],
  ] as const) {
    t.is((await patch(wrongType, body)).statusCode, status, `${wrongType} ${JSON.stringify(body)}`)
  }
  const elsewhere = await gateway.server.inject({
    ...{ method: 'PUT', url: path, payload: '{}' },
    headers: { 'x-api-key': key, 'content-type': type },
  })
  t.is(elsewhere.statusCode, 415)
})

test('a patch that cannot be applied changes nothing and names its operation', async (t) => {
  const { send, get, path } = await withDraft()
  for (const [body, status, field] of [
    [replace('/visuals/7', 1), 422, 'patch[0].path'],
    [{ patch: [] }, 400, 'patch'],
    [{ patch: Array(501).fill({ op: 'remove', path: '/width' }) }, 400, 'patch'],
    [{ patch: [{ op: 'swap', path: '/width' }] }, 400, 'patch[0].op'],
    [{ patch: [{ op: 'remove', path: 'width' }] }, 400, 'patch[0].path'],
    [replace('/name', '\u0000'), 422, 'patch[0].value'],
    [{ ...replace('/width', 5), baseVersion: 0 }, 400, 'baseVersion'],
  ] as const) {
    const reply = await send('PATCH', path, body)
    t.is(reply.statusCode, status, reply.body)
    t.is(reply.json().details[0].field, field)
  }
  t.is((await get(path)).json().version, 1)
})

test('a change from an outdated version is refused with the current one', async (t) => {
  const { send, post, path } = await withDraft()
  await send('PUT', path, { name: 'Second', baseVersion: 1 })
  for (const reply of [
    await send('PUT', path, { name: 'Third', baseVersion: 1 }),
    await send('PATCH', path, { ...replace('/width', 100), baseVersion: 1 }),
    await post(`${path}/restore`, { version: 1, baseVersion: 1 }),
  ]) {
    t.is(reply.statusCode, 409)
    t.regex(reply.json().message, /baseVersion must be the project's version, 2\. Got 1/)
  }
})

test('parallel patches of one draft are all applied', async (t) => {
  const { send, get, path } = await withDraft()
  const marks = [0, 1, 2, 3, 4, 5]
  const replies = await Promise.all(
    marks.map((n) => send('PATCH', path, { patch: [{ op: 'add', path: `/mark${n}`, value: n }] })),
  )
  t.deepEqual(
    replies.map(({ statusCode }) => statusCode),
    marks.map(() => 200),
  )
  const { payload, version } = (await get(path)).json()
  t.deepEqual(
    marks.map((n) => payload[`mark${n}`]),
    marks,
  )
  t.is(version, 1 + marks.length)
})

test('earlier versions are listed, shown and restored', async (t) => {
  const { send, get, post, path } = await withDraft()
  await send('PATCH', path, replace('/width', 100))
  await send('PUT', path, { name: 'Third' })
  const { versions, total } = (await get(`${path}/versions`)).json()
  t.is(total, 3)
  t.deepEqual(
    versions.map(({ version, name }: { version: number; name: string }) => [version, name]),
    [
      [3, 'Third'],
      [2, 'A draft'],
      [1, 'A draft'],
    ],
  )
  t.like((await get(`${path}?version=1`)).json(), { version: 1, name: 'A draft', payload: film })
  const restored = await post(`${path}/restore`, { version: 1 })
  t.like(restored.json(), { version: 4, name: 'A draft', payload: film })
  const gone = await get(`${path}?version=9`)
  t.is(gone.statusCode, 404)
  t.regex(gone.json().message, /version must be one that is kept: 1 to 4\. Got 9/)
})

test('a draft keeps its last fifty versions', async (t) => {
  const { send, get, path } = await withDraft()
  for (let n = 2; n <= 56; n += 1) await send('PUT', path, { name: `Name ${n}` })
  const { versions } = (await get(`${path}/versions`)).json()
  t.is(versions.length, 51)
  t.is(versions.at(-1).version, 6)
})

test('another account sees, patches and restores no version of a draft', async (t) => {
  const { send, path } = await withDraft()
  await send('PUT', path, { name: 'Second' })
  const other = await gateway.customer()
  for (const reply of [
    await other.get(`${path}/versions`),
    await other.get(`${path}?version=1`),
    await other.send('PATCH', path, replace('/width', 1)),
    await other.post(`${path}/restore`, { version: 1 }),
  ]) {
    t.is(reply.statusCode, 404)
  }
})
