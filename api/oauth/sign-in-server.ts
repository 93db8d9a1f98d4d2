import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Provider } from 'oidc-provider'
import type { Log } from '../../runtime/log.ts'
import type { SealKeys } from '../../runtime/seal.ts'
import type { Db } from '../../store/db/database.ts'
import type { DocumentReach } from './client-documents.ts'
import { type Exchange, runExchange } from './exchange.ts'
import type { OAuthSettings } from './settings.ts'
import { answerTokenRequest } from './token-request.ts'

/** An answer of the library, complete before anything of it is sent. */
export type LibraryAnswer = {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly body: Buffer
}

/** A request as the library sees it: nothing of the sender's that was not read here. */
export type LibraryRequest = {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** The sign-in of an agent that waits for its person's answer. */
export type Interaction = {
  readonly uid: string
  readonly params: Readonly<Record<string, unknown>>
  /** As the client calls itself, and where it says that it lives. */
  readonly client: { readonly id: string; readonly name: string; readonly uri: string | undefined }
}

export type SignInServer = ReturnType<typeof createSignInServer>

type Options = {
  readonly oauth: OAuthSettings
  readonly publicUrl: string
  readonly secret: string
  readonly db: Db
  readonly sealKeys: SealKeys
  readonly log: Log
  readonly trustedHosts: readonly string[]
  /** Replaced in tests only, which must not touch a network. */
  readonly reach?: Omit<DocumentReach, 'trustedHosts'>
}

/**
 * Runs the authorization server's library, which is loaded at the first sign-in: a farm that renders
 * a film never pays for it.
 */
export function createSignInServer(options: Options) {
  const { oauth, publicUrl, db } = options
  const { host, protocol } = new URL(publicUrl)
  let loaded: Promise<{ provider: Provider; ask: Ask }> | undefined
  const load = () => {
    loaded ??= loadProvider(options)
    return loaded
  }

  /** Calls the library with the public address as Host, whatever the sender's says. */
  async function ask({ headers, ...request }: LibraryRequest): Promise<LibraryAnswer> {
    const { ask } = await load()
    const own = { host, 'x-forwarded-proto': protocol.slice(0, -1) }
    return await ask({ ...request, headers: { accept: 'application/json', ...headers, ...own } })
  }

  return {
    /** Answers a request that neither uses a code nor a token. */
    async answer(
      request: LibraryRequest,
      { from, endReason = 'revoked by the client' }: { from: string; endReason?: string },
    ): Promise<{ readonly answer: LibraryAnswer; readonly exchange: Exchange }> {
      const exchange: Exchange = { db, from, endReason, isReplay: false }
      return { answer: await runExchange(exchange, () => ask(request)), exchange }
    },

    async exchangeToken(
      form: URLSearchParams,
      { from, headers }: { from: string; headers: Readonly<Record<string, string>> },
    ): Promise<LibraryAnswer> {
      const { provider } = await load()
      return await answerTokenRequest(
        { db, provider, graceSeconds: oauth.graceSeconds },
        {
          form,
          from,
          answer: (body) =>
            ask({
              method: 'POST',
              url: '/oauth/token',
              headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
              body: body.toString(),
            }),
        },
      )
    },

    /** Finds the sign-in of this browser: its signed cookie and the id must agree. */
    async findInteraction(
      request: IncomingMessage,
      response: ServerResponse,
      uid: string,
    ): Promise<Interaction | undefined> {
      const { provider } = await load()
      const details = await provider.interactionDetails(request, response).catch(whenUnknown)
      if (details === undefined || details.uid !== uid) return undefined
      const client = await provider.Client.find(String(details.params.client_id))
      if (client === undefined) return undefined
      const { clientId: id, clientName: name = 'Unnamed client', clientUri: uri } = client
      return { uid, params: details.params, client: { id, name, uri } }
    },

    /** Records the person's answer. @returns the address that their browser goes to next */
    async finishInteraction(
      request: IncomingMessage,
      response: ServerResponse,
      answer: { readonly userId: string; readonly grantId: string } | 'refused',
    ): Promise<string> {
      const { provider } = await load()
      const result =
        answer === 'refused'
          ? { error: 'access_denied', error_description: 'The person refused the connection' }
          : {
              login: { accountId: answer.userId, remember: false },
              consent: { grantId: answer.grantId },
            }
      return await provider.interactionResult(request, response, result, {
        mergeWithLastSubmission: false,
      })
    },
  }
}

type Ask = (request: LibraryRequest) => Promise<LibraryAnswer>

async function loadProvider({
  oauth: settings,
  trustedHosts,
  reach,
  ...options
}: Options): Promise<{ provider: Provider; ask: Ask }> {
  const [{ createProvider }, { default: inject }] = await Promise.all([
    import('./provider.ts'),
    import('light-my-request'),
  ])
  const provider = createProvider({ ...options, settings, reach: { trustedHosts, ...reach } })
  const answer = provider.callback()
  const basePath = new URL(options.publicUrl).pathname.replace(/\/$/, '')
  const dispatch: typeof answer = async (request, response) => {
    // The library puts what this has more than `url` before its own addresses and cookies' paths.
    Object.assign(request, { originalUrl: `${basePath}${request.url}` })
    return await answer(request, response)
  }
  const ask: Ask = async ({ method, url, headers = {}, body }) => {
    const request = {
      method,
      url,
      headers: { ...headers },
      ...(body !== undefined && { payload: body }),
    }
    const { statusCode, headers: answered, rawPayload } = await inject(dispatch, request)
    const texts = Object.entries(answered).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value : String(value)] as const],
    )
    return { statusCode, headers: Object.fromEntries(texts), body: rawPayload }
  }
  return { provider, ask }
}

/** A missing, foreign or used-up sign-in is none; anything else is a failure of the farm. */
function whenUnknown(error: unknown): undefined {
  if (error instanceof Error && error.name === 'SessionNotFound') return undefined
  throw error
}
