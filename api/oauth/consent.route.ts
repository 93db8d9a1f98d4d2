import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { agentProfiles, defaultAgentCaps } from '../../core/accounts/agent-profiles.ts'
import { FarmError } from '../../core/errors.ts'
import { sha256Bytes } from '../../runtime/sha256.ts'
import { consumeOAuthToken } from '../../store/db/agents/consume-oauth-token.ts'
import { insertAgentGrant } from '../../store/db/agents/insert-agent-grant.ts'
import { inTransaction } from '../../store/db/database.ts'
import type { GatewayContext } from '../context.ts'
import { bodyReader } from '../gateway/body.ts'
import type { Server } from '../gateway/typed-server.ts'
import { agentAllowance, profileTexts, usualProfile, withDefaults } from './consent-settings.ts'
import { interactionsPath } from './paths.ts'
import { isOwnComputer } from './registration-policy.ts'
import { agentScope } from './settings.ts'
import type { Interaction } from './sign-in-server.ts'

const Answer = Type.Object(
  { allow: Type.Boolean(), ...agentAllowance },
  { additionalProperties: false },
)
const readAnswer = bodyReader(Answer)
type Params = { readonly uid: string }

/**
 * The consent of a person: GET and POST /api/oauth/interactions/{uid}, for the consent page. Both
 * need the cookie that the authorization request left in this browser; the answer needs the
 * person's own token as well. So neither a link that a stranger sends nor a foreign page suffices.
 *
 * Hidden in the published interface: nothing but a browser that an agent sent here has the cookie.
 */
export function consentRoutes(server: Server, context: GatewayContext): void {
  const { signInServer, db } = context
  const path = `${interactionsPath}/:uid`
  const schema = { hide: true }

  server.get(path, { schema, config: { credentials: [] } }, async (request, reply) => {
    const { client, params } = await interactionOf(request, reply)
    const redirectUri = String(params.redirect_uri)
    const isDocument = client.id.startsWith('https://')
    return {
      client: {
        name: client.name,
        uri: client.uri ?? null,
        // The address of a metadata document proves who wrote it; a registered id proves nothing.
        document: isDocument ? client.id : null,
      },
      scope: agentScope,
      redirectUri,
      redirectHost: hostOf(redirectUri),
      isOwnComputer: isOwnComputer(redirectUri),
      profiles: agentProfiles.map((name) => ({ name, text: profileTexts[name] })),
      defaults: { profile: usualProfile, ...defaultAgentCaps },
    }
  })

  const answering = { schema, config: { credentials: ['session'], body: Answer } } as const
  server.post(path, answering, async (request, reply) => {
    const { credential, accountId } = request.account
    if (credential.kind !== 'session') throw new Error('The route takes sessions only')
    const { uid, client, params } = await interactionOf(request, reply)
    const { allow, ...allowance }: Static<typeof Answer> = readAnswer(request.body)
    const { userId } = credential
    const grantId = await inTransaction(db, async (tx) => {
      // One answer counts, of parallel ones as well.
      if (!(await consumeOAuthToken(tx, sha256Bytes(uid)))) throw notOpen()
      if (!allow) return undefined
      const { id } = await insertAgentGrant(tx, {
        ...withDefaults(allowance),
        ...{ accountId, userId, clientId: client.id, clientName: client.name },
        redirectHost: hostOf(String(params.redirect_uri)),
      })
      return id
    })
    if (grantId === undefined) return { redirectTo: await finish(request, reply, 'refused') }
    return { redirectTo: await finish(request, reply, { userId, grantId }) }
  })

  async function interactionOf(request: FastifyRequest, reply: FastifyReply): Promise<Interaction> {
    const { uid } = request.params as Params
    const found = await signInServer.findInteraction(request.raw, reply.raw, uid)
    if (found) return found
    throw notOpen()
  }

  async function finish(
    request: FastifyRequest,
    reply: FastifyReply,
    answer: Parameters<typeof signInServer.finishInteraction>[2],
  ): Promise<string> {
    return await signInServer.finishInteraction(request.raw, reply.raw, answer)
  }
}

function notOpen(): FarmError {
  const rule = 'The sign-in must be open, and have begun in this browser'
  return new FarmError('not_found', `${rule}. Got another; start again from the app`)
}

/** The host that an answer goes to; the scheme of an app that has none. */
function hostOf(uri: string): string {
  const { protocol, host } = new URL(uri)
  return protocol === 'https:' || protocol === 'http:' ? host : protocol
}
