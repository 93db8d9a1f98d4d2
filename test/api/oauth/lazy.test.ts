import { registerHooks } from 'node:module'
import test from 'ava'

const resolved: string[] = []
registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context)
    resolved.push(found.url)
    return found
  },
})
const isLoaded = () => resolved.some((url) => url.includes('/node_modules/oidc-provider/'))

test('the library of the authorization server is loaded at the first sign-in', async (t) => {
  const { startGateway } = await import('../gateway.ts')
  const gateway = await startGateway()
  const { statusCode } = await gateway.server.inject('/.well-known/oauth-authorization-server')
  t.is(statusCode, 200)
  t.is((await gateway.server.inject('/oauth/consent.js')).statusCode, 200)
  t.false(isLoaded())
  t.is((await gateway.server.inject('/oauth/authorize')).statusCode, 400)
  t.true(isLoaded())
  await gateway.stop()
})
