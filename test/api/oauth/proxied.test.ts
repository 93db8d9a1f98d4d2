import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import { readOAuthSettings } from '../../../api/oauth/settings.ts'
import { bearer, signIn } from '../accounts.ts'
import { startGateway } from '../gateway.ts'
import { pkce } from './agent-host.ts'

const gateway = await startGateway()
test.after.always(() => gateway.stop())

const prefix = '/farm'
const redirectUri = 'https://claude.ai/api/mcp/auth_callback'

/** Serves the farm below a path, and the host's root /.well-known/* as it is. */
async function startProxied(way: 'strips' | 'keeps') {
  let api = ''
  const proxy = createServer(async (request, response) => {
    const { method = 'GET', url = '/', headers } = request
    if (!url.startsWith('/.well-known/') && !url.startsWith(`${prefix}/`)) {
      response.writeHead(404).end('not the farm')
      return
    }
    const isStripped = way === 'strips' && url.startsWith(`${prefix}/`)
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { connection: _, 'content-length': __, 'transfer-encoding': ___, ...passed } = headers
    const reply = await fetch(`${api}${isStripped ? url.slice(prefix.length) : url}`, {
      method,
      headers: passed as Record<string, string>,
      redirect: 'manual',
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    })
    const cookies = reply.headers.getSetCookie()
    const headersBack = ['content-type', 'location', 'www-authenticate'].flatMap((name) => {
      const value = reply.headers.get(name)
      return value === null ? [] : [[name, value] as const]
    })
    response.writeHead(reply.status, { ...Object.fromEntries(headersBack), 'set-cookie': cookies })
    response.end(Buffer.from(await reply.arrayBuffer()))
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  const origin = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  const publicUrl = `${origin}${prefix}`
  const oauth = readOAuthSettings({}, publicUrl)
  const { server, stop } = await gateway.startReplica({ publicUrl, oauth })
  api = await server.listen({ host: '127.0.0.1', port: 0 })
  return {
    ...{ origin, publicUrl },
    async stop() {
      proxy.close()
      await stop()
    },
  }
}

/** Sends as a browser does, which returns a cookie below its path alone. */
function startBrowser() {
  const cookies: { readonly path: string; readonly text: string }[] = []
  return async (url: string, options: RequestInit = {}) => {
    const { pathname } = new URL(url)
    const cookie = cookies.filter(({ path }) => `${pathname}/`.startsWith(`${path}/`))
    const headers = { ...options.headers, cookie: cookie.map(({ text }) => text).join('; ') }
    const reply = await fetch(url, { ...options, headers, redirect: 'manual' })
    for (const each of reply.headers.getSetCookie()) {
      const [text = ''] = each.split(';')
      cookies.push({ path: /path=([^;]+)/i.exec(each)?.[1] ?? '/', text })
    }
    return reply
  }
}

const json = { 'content-type': 'application/json' }

async function post(url: string, body: unknown, headers: Record<string, string> = {}) {
  return await fetch(url, {
    ...{ method: 'POST', body: JSON.stringify(body) },
    headers: { ...json, accept: 'application/json, text/event-stream', ...headers },
  })
}

const listing = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }

/** Follows the challenge of the endpoint to the authorization server's document. */
async function discover(t: ExecutionContext, origin: string, mcpUrl: string) {
  const challenged = await post(mcpUrl, listing)
  t.is(challenged.status, 401)
  const challenge = String(challenged.headers.get('www-authenticate'))
  const named = /resource_metadata="([^"]+)"/.exec(challenge)?.[1]
  t.is(named, `${origin}/.well-known/oauth-protected-resource${prefix}/mcp`)
  const resource = (await (await fetch(String(named))).json()) as Record<string, string[]>
  t.is(String(resource.resource), mcpUrl)
  const { pathname } = new URL(String(resource.authorization_servers?.[0]))
  const reply = await fetch(`${origin}/.well-known/oauth-authorization-server${pathname}`)
  return (await reply.json()) as Record<string, string>
}

for (const way of ['strips', 'keeps'] as const) {
  test(`an agent signs in through a proxy that ${way} the prefix`, async (t) => {
    const { origin, publicUrl, stop } = await startProxied(way)
    t.teardown(stop)
    const mcpUrl = `${publicUrl}/mcp`
    const { accountId } = await gateway.customer()
    const person = await signIn(gateway, accountId)
    const server = await discover(t, origin, mcpUrl)
    const metadata = { redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' }
    const registered = await post(String(server.registration_endpoint), {
      client_name: 'Claude',
      ...metadata,
    })
    const { client_id: clientId } = (await registered.json()) as { client_id: string }
    const { verifier, challenge } = pkce()
    const query = new URLSearchParams({
      ...{ client_id: clientId, redirect_uri: redirectUri, response_type: 'code', state: 's' },
      ...{ code_challenge: challenge, code_challenge_method: 'S256', resource: mcpUrl },
    })
    const browser = startBrowser()
    const begun = await browser(`${server.authorization_endpoint}?${query}`)
    const page = new URL(String(begun.headers.get('location')), origin)
    t.true(page.pathname.startsWith(`${prefix}/oauth/consent/`), page.href)
    const uid = page.pathname.split('/').pop()
    const allowed = await browser(`${publicUrl}/api/oauth/interactions/${uid}`, {
      ...{ method: 'POST', body: JSON.stringify({ allow: true }) },
      headers: { ...json, ...bearer(person.accessToken) },
    })
    const { redirectTo } = (await allowed.json()) as { redirectTo: string }
    t.true(redirectTo.startsWith(`${publicUrl}/oauth/authorize/`), redirectTo)
    const answered = await browser(redirectTo)
    const answer = new URL(String(answered.headers.get('location')))
    t.is(answer.searchParams.get('iss'), publicUrl)
    const redeemed = await fetch(String(server.token_endpoint), {
      method: 'POST',
      body: new URLSearchParams({
        ...{ grant_type: 'authorization_code', client_id: clientId, redirect_uri: redirectUri },
        ...{ code: String(answer.searchParams.get('code')), code_verifier: verifier },
        resource: mcpUrl,
      }),
    })
    const { access_token: token } = (await redeemed.json()) as { access_token: string }
    const listed = await post(mcpUrl, listing, bearer(token))
    t.is(listed.status, 200)
    t.regex(await listed.text(), /"quote_render"/)
  })
}
