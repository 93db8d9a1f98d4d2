import type { FastifyReply, FastifyRequest } from 'fastify'
import { FarmError } from '../../core/errors.ts'
import type { GatewayContext } from '../context.ts'
import { dressPage } from '../gateway/pages.ts'
import { addressOf, neighbourhoodOf } from '../gateway/remote-address.ts'
import type { Server } from '../gateway/typed-server.ts'
import { prepareAuthorizeQuery, prepareTokenForm } from './authorize-request.ts'
import { answerBodyFault, maxBodyBytes } from './body-faults.ts'
import { whyNotRefreshed } from './ended-token.ts'
import { pageOf } from './error-page.ts'
import { type Fault, withNextStep, withStep, withStepInAddress } from './next-step.ts'
import { consentPath, interactionsPath, oauthPaths } from './paths.ts'
import { ClientRefused, readClientMetadata } from './registration-policy.ts'
import type { LibraryAnswer } from './sign-in-server.ts'

/** Headers of the library's answers that a browser or client needs. */
const passedHeaders = ['cache-control', 'content-type', 'location', 'pragma', 'www-authenticate']
const open = { schema: { hide: true }, config: { credentials: [] } }

/** The authorization server's endpoints for browsers and clients (RFC 6749, 7009, 7591, 7636). */
export async function oauthRoutes(server: Server, context: GatewayContext): Promise<void> {
  const { signInServer, mcpUrl, oauth, publicUrl, db } = context
  const basePath = new URL(publicUrl).pathname.replace(/\/$/, '')
  server.setErrorHandler(answerBodyFault)
  server.removeAllContentTypeParsers()
  server.addContentTypeParser(
    ['application/x-www-form-urlencoded', 'application/json'],
    { parseAs: 'string', bodyLimit: maxBodyBytes },
    async (_request: FastifyRequest, body: string) => body,
  )
  server.addHook('onRequest', async (_request, reply) => {
    reply.header('cache-control', 'no-store')
  })

  server.get(oauthPaths.authorize, open, async (request, reply) => {
    const query = prepareAuthorizeQuery(queryOf(request), mcpUrl)
    return await answerBrowser(request, reply, `${oauthPaths.authorize}?${query}`)
  })

  server.get(`${oauthPaths.authorize}/:uid`, open, async (request, reply) => {
    const { uid } = request.params as { uid: string }
    return await answerBrowser(request, reply, `${oauthPaths.authorize}/${encodeURIComponent(uid)}`)
  })

  server.get(oauthPaths.jwks, open, async (request, reply) => {
    const asked = { method: 'GET', url: oauthPaths.jwks } as const
    const { answer } = await signInServer.answer(asked, { from: addressOf(request) })
    return send(reply, answer)
  })

  server.post(oauthPaths.token, open, async (request, reply) => {
    const form = prepareTokenForm(formOf(request), mcpUrl)
    const answer = await signInServer.exchangeToken(form, {
      from: addressOf(request),
      headers: credentialsOf(request),
    })
    const token = form.get('refresh_token')
    const isRefused = answer.statusCode >= 400 && token !== null
    return send(
      reply,
      withNextStep(answer, isRefused ? await whyNotRefreshed(db, token) : undefined),
    )
  })

  server.post(oauthPaths.revoke, open, async (request, reply) => {
    const { answer } = await signInServer.answer(
      {
        method: 'POST',
        url: oauthPaths.revoke,
        headers: {
          ...credentialsOf(request),
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: formOf(request).toString(),
      },
      { from: addressOf(request) },
    )
    return send(reply, withNextStep(answer))
  })

  if (oauth.hasRegistration) server.post(oauthPaths.register, open, register)

  async function register(request: FastifyRequest, reply: FastifyReply) {
    const metadata = readRegistration(request)
    if (metadata instanceof ClientRefused) {
      reply.code(400)
      return withStep({ error: metadata.code, error_description: metadata.message })
    }
    const { answer, exchange } = await signInServer.answer(
      {
        method: 'POST',
        url: oauthPaths.register,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(metadata),
      },
      { from: neighbourhoodOf(request) },
    )
    if (answer.statusCode === 429) reply.header('retry-after', exchange.retryAfterSeconds ?? 3600)
    return send(reply, withNextStep(answer))
  }

  /** Answers a browser: with a way on, or with a page that says what is wrong. */
  async function answerBrowser(request: FastifyRequest, reply: FastifyReply, url: string) {
    const cookie = request.headers.cookie
    const { answer, exchange } = await signInServer.answer(
      { method: 'GET', url, ...(cookie !== undefined && { headers: { cookie } }) },
      { from: addressOf(request) },
    )
    reply.header('referrer-policy', 'no-referrer')
    keepCookies(reply, answer)
    if (answer.statusCode < 400) {
      const location = String(answer.headers.location)
      // The library's cookie is bound to what the page calls; the browser goes to the page.
      const own = `${basePath}${interactionsPath}/`
      const next = location.startsWith(own)
        ? `${basePath}${consentPath}/${location.slice(own.length)}`
        : withStepInAddress(location)
      const headers = { location: next }
      return send(reply, { statusCode: answer.statusCode, headers, body: Buffer.alloc(0) })
    }
    const fault = JSON.parse(answer.body.toString('utf8')) as Fault
    const known = { ...fault, detail: exchange.documentFault }
    if (answer.statusCode >= 500) throw new FarmError('internal', 'The farm failed to sign in')
    reply.code(answer.statusCode)
    if (!String(request.headers.accept).includes('text/html')) return withStep(known)
    await dressPage(reply, { type: 'text/html' })
    return reply.send(
      pageOf(known, { requestId: request.id, styles: `${basePath}${consentPath}.css` }),
    )
  }
}

function send(reply: FastifyReply, { statusCode, headers, body }: LibraryAnswer): FastifyReply {
  for (const name of passedHeaders) {
    const value = headers[name]
    if (value !== undefined) reply.header(name, value)
  }
  return reply.code(statusCode).send(body)
}

/** The library's own session, which ends with each request, leaves no cookie. */
function keepCookies(reply: FastifyReply, { headers }: LibraryAnswer): void {
  const cookies = [headers['set-cookie'] ?? []].flat()
  const kept = cookies.filter((cookie) => !/^farm_oauth(\.sig)?=/.test(cookie))
  if (kept.length > 0) reply.header('set-cookie', kept)
}

function queryOf(request: FastifyRequest): URLSearchParams {
  return new URLSearchParams(request.url.split('?').slice(1).join('?'))
}

/** @throws FarmError unsupported_media_type */
function formOf({ body, headers }: FastifyRequest): URLSearchParams {
  if (/^application\/x-www-form-urlencoded/i.test(headers['content-type'] ?? '')) {
    return new URLSearchParams(typeof body === 'string' ? body : '')
  }
  throw new FarmError('unsupported_media_type', 'The body must be a form')
}

function credentialsOf({ headers: { authorization } }: FastifyRequest) {
  return authorization === undefined ? {} : { authorization }
}

function readRegistration({
  body,
  headers,
}: FastifyRequest): Record<string, unknown> | ClientRefused {
  try {
    const isJson = /^application\/json/i.test(headers['content-type'] ?? '')
    const sent: unknown = isJson && typeof body === 'string' ? JSON.parse(body) : undefined
    return readClientMetadata(sent, { isDocument: false })
  } catch (error) {
    if (error instanceof ClientRefused) return error
    if (!(error instanceof SyntaxError)) throw error
    return new ClientRefused('invalid_client_metadata', 'The body must be JSON. Got another text')
  }
}
