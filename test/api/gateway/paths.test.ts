import { randomUUID } from 'node:crypto'
import test from 'ava'
import { sql } from 'kysely'
import { film, type Gateway, renderPath, startGateway } from '../gateway.ts'

let gateway: Gateway

test.before(async () => {
  gateway = await startGateway()
})
test.after.always(() => gateway?.stop())

test('one slash at a path’s end is ignored on every route', async (t) => {
  const { key, accountId } = await gateway.customer()
  await sql`update accounts set plan = 'studio' where id = ${accountId}`.execute(gateway.db)
  await gateway.server.ready()
  const routes = gateway.server.access.filter(
    ({ path, method, credentials }) =>
      /^\/api\/(?!.*(?:\*|\bevents$))/.test(path) &&
      method !== 'HEAD' &&
      (credentials.length === 0 || credentials.includes('key')),
  )
  t.true(routes.length > 40, `${routes.length} routes`)
  for (const { method, path } of routes) {
    const ask = async (url: string) => {
      const headers = { 'x-api-key': key }
      const reply = await gateway.server.inject({ method: method as 'GET', url, headers })
      const isJson = /json/.test(String(reply.headers['content-type']))
      const body = isJson ? reply.json().message?.replace(/Got .*/, '') : reply.body
      return [reply.statusCode, body]
    }
    const url = path.replace(/:\w+/g, '00000000-0000-4000-8000-000000000000')
    t.deepEqual(await ask(`${url}/`), await ask(url), `${method} ${path}`)
  }
})

test('a list with a slash at its end is answered, parameters included', async (t) => {
  const { get } = await gateway.customer()
  for (const list of ['jobs', 'projects', 'templates', 'webhooks', 'api-keys', 'render/bulk']) {
    const [plain, slashed] = [await get(`/api/${list}`), await get(`/api/${list}/`)]
    t.is(slashed.statusCode, 200, list)
    t.deepEqual(slashed.json(), plain.json(), list)
  }
  t.is((await get('/api/jobs/?pageSize=1')).json().pageSize, 1)
  t.is((await get('/api/jobs/?pageSize=none')).statusCode, 400)
})

test('a method unknown to a list is refused with the list’s methods', async (t) => {
  const { send } = await gateway.customer()
  for (const path of ['/api/projects', '/api/projects/']) {
    const reply = await send('DELETE', path)
    t.is(reply.statusCode, 405)
    t.is(reply.headers.allow, 'GET, HEAD, POST')
  }
})

test('an empty segment is no id', async (t) => {
  const { get } = await gateway.customer()
  for (const path of ['/api/jobs//', '/api/jobs//events', '/api//jobs', '/api/library//']) {
    const reply = await get(path)
    t.is(reply.statusCode, 404, path)
    t.regex(reply.json().message, /path must be one of the service's/, path)
  }
})

test('a literal path with a slash at its end keeps its methods', async (t) => {
  const { get } = await gateway.customer()
  const reply = await get('/api/render/bulk/api-key/')
  t.is(reply.statusCode, 405)
  t.is(reply.headers.allow, 'POST')
})

test('a key for repetition is the same with and without a slash', async (t) => {
  const { send } = await gateway.customer()
  const body = { payload: film, jobId: randomUUID() }
  const more = { 'idempotency-key': randomUUID() }
  const first = await send('POST', renderPath, body, more)
  const second = await send('POST', `${renderPath}/`, body, more)
  t.is(first.statusCode, 202)
  t.is(second.statusCode, 202)
  t.is(second.headers['idempotent-replayed'], 'true')
})

test('the reference is found with and without a slash at its end', async (t) => {
  const bare = await gateway.server.inject({ method: 'GET', url: '/docs' })
  t.deepEqual([bare.statusCode, bare.headers.location], [301, '/docs/'])
  const reply = await gateway.server.inject({ method: 'GET', url: '/docs/' })
  t.is(reply.statusCode, 200)
})

test('a refused address is repeated without its query', async (t) => {
  const secret = `svc_${'5'.repeat(64)}`
  for (const [method, path, status] of [
    ['GET', '/api/nowhere', 404],
    ['POST', '/api/nowhere', 404],
    ['DELETE', '/api/jobs', 405],
    ['GET', '/api/render/bulk/api-key', 405],
    ['PUT', '/mcp', 405],
    ['GET', '/api/jobs/%zz', 400],
    ['GET', `/api/jobs/${'a'.repeat(600)}`, 400],
  ] as const) {
    for (const sign of ['?api_key=', '#access_token=']) {
      const url = `${path}${sign}${secret}`
      const reply = await gateway.server.inject({ method, url })
      t.is(reply.statusCode, status, `${method} ${url} ${reply.body}`)
      t.false(`${reply.body}${JSON.stringify(reply.headers)}`.includes(secret), url)
      t.true(reply.json().message.includes(path.slice(0, 190)), reply.body)
    }
  }
})
