import test from 'ava'
import { bearer, call, signIn } from '../accounts.ts'
import { film, type Gateway, startGateway } from '../gateway.ts'

let gateway: Gateway

test.before(async () => {
  gateway = await startGateway()
})
test.after.always(() => gateway?.stop())

test('an editor’s routes take a user’s token', async (t) => {
  const { accountId } = await gateway.customer()
  const { accessToken } = await signIn(gateway, accountId)
  const headers = bearer(accessToken)
  const body = { payload: film }
  const posted = { '/api/render/validate': 200, '/api/credits/estimate': 200, '/api/quotes': 201 }
  for (const [url, status] of Object.entries(posted)) {
    const reply = await call(gateway, 'POST', url, { body, headers })
    t.is(reply.statusCode, status, `${url}: ${reply.body}`)
  }
  const preview = { body: { ...body, times: [1] }, headers }
  // No node paints here; the answer says that the same request will find it later.
  t.is((await call(gateway, 'POST', '/api/render/preview', preview)).statusCode, 202)
  for (const url of [
    ...['/api/render/schema', '/api/render/elements', '/api/render/elements/TEXT'],
    ...['/api/render/examples', '/api/render/examples/still-image', '/api/library/shapes'],
    ...['/api/library/examples', '/api/library/shapes/circle'],
  ]) {
    t.is((await call(gateway, 'GET', url, { headers })).statusCode, 200, url)
  }
})
