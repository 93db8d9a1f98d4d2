import test from 'ava'
import { startGateway } from '../gateway.ts'

const gateway = await startGateway()
test.after.always(() => gateway.stop())

test('llms.txt names the way to a film by routes that exist', async (t) => {
  const { server } = gateway
  const text = (await server.inject('/llms.txt')).body
  const named = [...text.matchAll(/\b(GET|POST|PATCH) https:\/\/farm\.example\.com(\/[\w/-]+)/g)]
  const routes = named.map(([, method, path = '']) => `${method} ${path}`)
  t.true(routes.includes('POST /api/render/preview'))
  t.true(routes.includes('POST /api/projects'))
  t.true(routes.length >= 7)
  for (const route of routes) {
    const [method, path = ''] = route.split(' ')
    const shape = path.replace(/[A-Z]+_ID/g, ':id')
    const isServed = server.access.some((each) => each.method === method && each.path === shape)
    t.true(isServed, route)
  }
})
