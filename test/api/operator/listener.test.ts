import type { AddressInfo } from 'node:net'
import test from 'ava'
import { request } from 'undici'
import { readConfig } from '../../../api/config.ts'
import { createOperatorServer } from '../../../api/server.ts'
import { readConfig as readWorkflows } from '../../../workflows/config.ts'
import { startGateway } from '../gateway.ts'
import { addOperator } from './operators.ts'

const gateway = await startGateway()
test.after.always(() => gateway.stop())

const env = {
  DATABASE_URL: 'postgres://farm@127.0.0.1/farm',
  TEMPORAL_ADDRESS: '127.0.0.1:7233',
  FARM_OBJECTS: 'file:/srv/objects',
  FARM_SECRET: 'a-secret-of-16-or-more',
  FARM_PUBLIC_URL: 'https://farm.example.com',
}

test('the operators’ API is off unless it is set', (t) => {
  const read = (value?: string) =>
    readConfig({ ...env, ...(value !== undefined && { FARM_OPERATOR_API: value }) }).operatorApi
  t.is(read(), 'off')
  t.is(read('on'), 'on')
  t.deepEqual(read('127.0.0.1:9480'), { host: '127.0.0.1', port: 9480 })
  t.throws(() => read('maybe'), { message: /FARM_OPERATOR_API must be/ })
  t.throws(() => read('nowhere:1'), { message: /FARM_OPERATOR_API must be/ })
})

test('operators’ address is that of their listener unless it is set', (t) => {
  const read = (more: Record<string, string>) => readConfig({ ...env, ...more }).operatorUrl
  t.is(read({ FARM_OPERATOR_API: 'on' }), 'https://farm.example.com')
  t.is(read({ FARM_OPERATOR_API: '10.0.0.5:9480' }), 'http://10.0.0.5:9480')
  t.is(read({ FARM_OPERATOR_API: '[::1]:9480' }), 'http://[::1]:9480')
  const named = { FARM_OPERATOR_URL: 'https://operate.example.com/' }
  t.is(read({ FARM_OPERATOR_API: '10.0.0.5:9480', ...named }), 'https://operate.example.com')
  t.throws(() => read({ FARM_OPERATOR_API: 'on', ...named }), { message: /FARM_OPERATOR_URL must/ })
})

test('a listener at any address needs the one that operators use', (t) => {
  const read = (more: Record<string, string>) => readConfig({ ...env, ...more }).operatorUrl
  for (const listener of ['0.0.0.0:9480', '[::]:9480', '127.0.0.1:0']) {
    t.throws(() => read({ FARM_OPERATOR_API: listener }), {
      ...{ name: 'EnvError', message: /FARM_OPERATOR_URL must be the address/ },
    })
    const named = { FARM_OPERATOR_API: listener, FARM_OPERATOR_URL: 'https://operate.example.com' }
    t.is(read(named), 'https://operate.example.com')
  }
})

test('links of notices lead to the operators’ own listener', (t) => {
  const read = (more: Record<string, string>) => readWorkflows({ ...env, ...more }).operatorUrl
  t.is(read({ FARM_OPERATOR_API: '10.0.0.5:9480' }), 'http://10.0.0.5:9480')
  t.is(read({ FARM_OPERATOR_URL: 'https://operate.example.com' }), 'https://operate.example.com')
  t.is(read({}), 'https://farm.example.com')
})

test('a listener without operators knows none of their routes', async (t) => {
  const { headers } = await addOperator(gateway, 'admin')
  for (const path of ['/api/operator/nodes', '/api/operator/openapi.json']) {
    const reply = await gateway.server.inject({ url: path, headers })
    t.is(reply.statusCode, 404, path)
  }
  const document = await gateway.server.inject('/openapi.json')
  t.false(document.body.includes('/api/operator'))
})

test('the operators’ own listener serves them and no customer', async (t) => {
  const server = await createOperatorServer(gateway.context)
  await server.listen({ host: '127.0.0.1', port: 0 })
  const url = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`
  const { headers } = await addOperator(gateway, 'viewer')
  const { key } = await gateway.customer()
  const ask = async (path: string, sent: Record<string, string>) => {
    const { statusCode, body } = await request(`${url}${path}`, { headers: sent })
    await body.dump()
    return statusCode
  }
  t.is(await ask('/api/operator/nodes', headers), 200)
  t.is(await ask('/api/operator/openapi.json', {}), 200)
  t.is(await ask('/healthz', {}), 200)
  t.is(await ask('/api/operator/nodes', { 'x-api-key': key }), 403)
  for (const path of ['/api/jobs', '/openapi.json', '/docs', '/jobs', '/objects/x', '/mcp']) {
    t.is(await ask(path, { 'x-api-key': key }), 404, path)
  }
  await server.close()
})

test('the document of operators names each route with its role', async (t) => {
  const server = await createOperatorServer(gateway.context)
  const { paths, info } = (await server.inject('/api/operator/openapi.json')).json()
  const named = Object.entries(paths as Record<string, Record<string, { operationId: string }>>)
  const ids = named.flatMap(([, methods]) =>
    Object.values(methods).map(({ operationId }) => operationId),
  )
  t.is(new Set(ids).size, ids.length)
  t.false(ids.includes(undefined as never))
  const served = server.access.filter(
    ({ method, path, role }) => method !== 'HEAD' && path.startsWith('/api/operator') && role,
  )
  for (const { method, path } of served) {
    const shown = paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]
    t.truthy(shown, `${method} ${path}`)
    t.deepEqual(shown.security, [{ operator: [] }])
  }
  t.regex(info.description, /writes an act/)
  await server.close()
})
