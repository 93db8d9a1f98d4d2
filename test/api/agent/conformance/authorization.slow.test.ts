import { createServer } from 'node:net'
import test from 'ava'
import { readOAuthSettings } from '../../../../api/oauth/settings.ts'
import { bearer, signIn } from '../../accounts.ts'
import { startGateway } from '../../gateway.ts'
import { Browser, register } from '../../oauth/agent-host.ts'
import { runSuite } from './suite.ts'

/** Tests the authorization server by the public conformance suite of the protocol. */

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

test('the suite’s client gets an agent’s token once a person allows it', async (t) => {
  const [port, callbackPort] = await Promise.all([freePort(), freePort()])
  const publicUrl = `http://127.0.0.1:${port}`
  const gateway = await startGateway({ publicUrl, oauth: readOAuthSettings({}, publicUrl) })
  t.teardown(() => gateway.stop())
  const { server } = gateway
  const { accountId } = await gateway.customer()
  const person = await signIn(gateway, accountId)
  const redirect = `http://127.0.0.1:${callbackPort}/callback`
  const registered = await register(server, { redirect_uris: [redirect] })
  const { client_id: clientId } = registered.json()
  await server.listen({ host: '127.0.0.1', port })

  async function allow(address: string): Promise<void> {
    const browser = new Browser(server)
    const { pathname, search } = new URL(address)
    const asked = await browser.send('GET', `${pathname}${search}`)
    const uid = String(asked.headers.location).split('/').pop()
    const allowed = await browser.send('POST', `/api/oauth/interactions/${uid}`, {
      body: { allow: true },
      headers: bearer(person.accessToken),
    })
    const { redirectTo } = allowed.json()
    const back = await browser.send('GET', new URL(String(redirectTo)).pathname)
    await fetch(String(back.headers.location))
  }

  let visit: Promise<void> | undefined
  const args = ['authorization', '--url', publicUrl, '--client-id', String(clientId)]
  const at = ['--resource', `${publicUrl}/mcp`, '-p', String(callbackPort)]
  const { code, out, checks } = await runSuite([...args, ...at], (line) => {
    if (line.startsWith(`${publicUrl}/oauth/authorize?`)) visit ??= allow(line)
  })
  await visit
  t.is(code, 0, out)
  t.deepEqual(
    checks.map(({ status }) => status),
    ['SUCCESS', 'SUCCESS', 'SUCCESS'],
    JSON.stringify(checks),
  )
})
