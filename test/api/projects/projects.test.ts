import { randomUUID } from 'node:crypto'
import test from 'ava'
import { sql } from 'kysely'
import { plans } from '../../../core/accounts/plans.ts'
import { film, type Gateway, startGateway } from '../gateway.ts'

let gateway: Gateway

test.before(async () => {
  gateway = await startGateway()
})
test.after.always(() => gateway?.stop())

const draft = { name: 'A draft', payload: film }

test('a draft is stored, shown, changed and deleted, and says its version', async (t) => {
  const { get, post, send } = await gateway.customer()
  const made = await post('/api/projects', draft)
  t.is(made.statusCode, 201, made.body)
  const { id, project } = made.json()
  t.regex(id, /^prj_[A-Za-z0-9]{20}$/)
  t.like(made.json(), { ...draft, type: 'video', version: 1, valid: true, errors: [] })
  t.like(project, { id, ...draft, version: 1 })
  t.is(made.json().creditsRequired, 2)
  const path = `/api/projects/${id}`
  t.deepEqual((await get(path)).json(), made.json())
  const renamed = await send('PUT', path, { name: 'Another', payload: { ...film, type: 'image' } })
  t.is(renamed.statusCode, 200)
  t.like(renamed.json(), { id, name: 'Another', type: 'image', version: 2, valid: false })
  t.deepEqual((await send('DELETE', path)).json(), { deleted: true })
  t.is((await get(path)).statusCode, 404)
  t.is((await send('DELETE', path)).statusCode, 404)
})

test('a draft with faults is stored unchanged, and the answer names each', async (t) => {
  const { get, post } = await gateway.customer()
  const payload = { ...film, width: 0, colour: 'red', visuals: [{ type: 'TEXT' }, 5] }
  const made = await post('/api/projects', { name: 'Broken', payload })
  t.is(made.statusCode, 201, made.body)
  t.like(made.json(), { payload, valid: false, creditsRequired: null })
  const fields = made.json().errors.map(({ field }: { field: string }) => field)
  t.deepEqual(fields.toSorted(), ['colour', 'visuals[0]', 'visuals[1]', 'width'])
  t.deepEqual((await get(`/api/projects/${made.json().id}`)).json().errors, made.json().errors)
  t.is((await post('/api/projects', { name: 'Empty', payload: {} })).statusCode, 201)
})

test('a draft makes no job and costs nothing', async (t) => {
  const { get, post } = await gateway.customer()
  await post('/api/projects', draft)
  t.is((await get('/api/jobs')).json().total, 0)
  t.is((await get('/api/credits/balance')).json().balance, 1000)
})

test('drafts are listed by page and part of name, without payload', async (t) => {
  const { get, post } = await gateway.customer()
  for (const name of ['Autumn', 'Winter', 'Late autumn']) {
    await post('/api/projects', { ...draft, name })
  }
  const first = (await get('/api/projects?limit=2')).json()
  t.like(first, { page: 1, limit: 2, total: 3 })
  const names = first.projects.map(({ name }: { name: string }) => name)
  t.deepEqual(names, ['Late autumn', 'Winter'])
  t.deepEqual(Object.keys(first.projects[0]).toSorted(), [
    ...['createdAt', 'id', 'name', 'type', 'updatedAt', 'version'],
  ])
  const found = (await get('/api/projects?search=AUTUMN&limit=1&page=2')).json()
  t.like(found, { page: 2, limit: 1, total: 2 })
  t.deepEqual(
    found.projects.map(({ name }: { name: string }) => name),
    ['Autumn'],
  )
  t.is((await get('/api/projects?search=%25')).json().total, 0)
})

test('an invalid draft is refused by its field', async (t) => {
  const { post, send } = await gateway.customer()
  for (const [body, field] of [
    [{ name: 'a' }, 'payload'],
    [{ payload: {} }, 'name'],
    [{ name: ' ', payload: {} }, 'name'],
    [{ name: 'a', payload: [] }, 'payload'],
    [{ name: 'a', payload: {}, render: true }, 'render'],
    [{ name: 'a', payload: { text: '\u0000' } }, 'payload.text'],
    ['{"name":"a","payload":{"__proto__":{}}}', 'payload.__proto__'],
    ['{"name":"a","payload":{"x":1e999}}', 'payload.x'],
    ['{"name":"a","payload":{"list":[0,-1e400]}}', 'payload.list[1]'],
  ] as const) {
    const reply = await post('/api/projects', body)
    // No schema covers free JSON.
    t.is(reply.statusCode, field.startsWith('payload.') ? 422 : 400, JSON.stringify(body))
    t.is(reply.json().details[0].field, field)
  }
  t.is((await send('PUT', '/api/projects/prj_1', { name: 'a' })).statusCode, 400)
  const { id } = (await post('/api/projects', draft)).json()
  t.is((await send('PUT', `/api/projects/${id}`, {})).statusCode, 400)
})

test('another account finds no draft of this one', async (t) => {
  const [own, other] = [await gateway.customer(), await gateway.customer()]
  const { id } = (await own.post('/api/projects', draft)).json()
  const path = `/api/projects/${id}`
  for (const reply of [
    await other.get(path),
    await other.send('PUT', path, { name: 'Mine' }),
    await other.send('DELETE', path),
  ]) {
    t.is(reply.statusCode, 404)
  }
  t.is((await other.get('/api/projects')).json().total, 0)
  t.is((await own.get(path)).json().name, draft.name)
})

test('an account has as many drafts as its plan allows', async (t) => {
  const { accountId, post } = await gateway.customer()
  const { id } = (await post('/api/projects', draft)).json()
  await sql`insert into projects (id, account_id, name, payload)
    select 'prj_' || lpad(n::text, 20, '0'), ${accountId}, 'x', '{}'
    from generate_series(2, ${plans.free.projects}) as n`.execute(gateway.db)
  const refused = await post('/api/projects', draft)
  t.is(refused.statusCode, 422)
  t.is(refused.json().planLimits.projects, plans.free.projects)
  t.truthy(id)
})

test('a draft that is sent twice under one Idempotency-Key is one draft', async (t) => {
  const { get, send } = await gateway.customer()
  const headers = { 'idempotency-key': randomUUID() }
  const [first, second] = [
    await send('POST', '/api/projects', draft, headers),
    await send('POST', '/api/projects', draft, headers),
  ]
  t.is(first.json().id, second.json().id)
  t.is((await get('/api/projects')).json().total, 1)
})
