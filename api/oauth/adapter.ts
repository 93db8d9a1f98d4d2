import { type Adapter, type AdapterPayload, errors } from 'oidc-provider'
import { type SealKeys, seal, unseal } from '../../runtime/seal.ts'
import { sha256Bytes } from '../../runtime/sha256.ts'
import {
  consumeOAuthToken,
  deleteOAuthToken,
  nameSuccessor,
} from '../../store/db/agents/consume-oauth-token.ts'
import { endAgentGrant } from '../../store/db/agents/end-agent-grant.ts'
import { findAgentGrant } from '../../store/db/agents/find-agent-grant.ts'
import { findOAuthClient } from '../../store/db/agents/find-oauth-client.ts'
import { findOAuthToken } from '../../store/db/agents/find-oauth-token.ts'
import { putOAuthToken } from '../../store/db/agents/put-oauth-token.ts'
import {
  maxClients,
  maxRegistrationsAnHour,
  registerOAuthClient,
} from '../../store/db/agents/register-oauth-client.ts'
import type { Db } from '../../store/db/database.ts'
import type { OAuthTokenKind } from '../../store/db/schema.ts'
import { currentExchange } from './exchange.ts'
import { redirectUriFault } from './registration-policy.ts'
import { agentScope } from './settings.ts'
import { sealUnder, unsealUnder } from './token-seal.ts'

type Storage = { readonly db: Db; readonly sealKeys: SealKeys; readonly mcpUrl: string }

const tokenKinds: Readonly<Record<string, OAuthTokenKind>> = {
  AuthorizationCode: 'code',
  AccessToken: 'access',
  RefreshToken: 'refresh',
  Interaction: 'interaction',
}

/** Adapts the farm's tables to the models of the library. */
export function createAdapter(storage: Storage): (model: string) => Adapter {
  return (model) => {
    const kind = tokenKinds[model]
    if (kind !== undefined) return new TokenAdapter(storage, kind)
    if (model === 'Grant') return new GrantAdapter(storage)
    if (model === 'Client') return new ClientAdapter(storage)
    return new BareAdapter()
  }
}

/**
 * Remembers nothing. The library's sessions end with their request, so that no consent follows from
 * a cookie; its other models belong to features that are off.
 */
class BareAdapter implements Adapter {
  async upsert(_id: string, _payload: AdapterPayload, _seconds: number): Promise<void> {
    // Nothing is kept.
  }

  async find(_id: string): Promise<AdapterPayload | undefined> {
    return undefined
  }

  async findByUid(_uid: string): Promise<undefined> {
    return undefined
  }

  async findByUserCode(_code: string): Promise<undefined> {
    return undefined
  }

  async consume(_id: string): Promise<void> {
    // Nothing is kept.
  }

  async destroy(_id: string): Promise<void> {
    // Nothing is kept.
  }

  /** Does nothing: no token outlives its grant, which the library ends in the same request. */
  async revokeByGrantId(_grantId: string): Promise<void> {
    // See GrantAdapter.destroy.
  }
}

class StoringAdapter extends BareAdapter {
  readonly storage: Storage

  constructor(storage: Storage) {
    super()
    this.storage = storage
  }

  get db(): Db {
    return currentExchange()?.db ?? this.storage.db
  }
}

/** Codes, tokens and interactions, each known by the hash of its value. */
class TokenAdapter extends StoringAdapter {
  readonly #kind: OAuthTokenKind

  constructor(storage: Storage, kind: OAuthTokenKind) {
    super(storage)
    this.#kind = kind
  }

  override async upsert(
    id: string,
    { jti: _, ...payload }: AdapterPayload,
    seconds: number,
  ): Promise<void> {
    await putOAuthToken(this.db, {
      ...{ sha256: sha256Bytes(id), kind: this.#kind, seconds },
      grantId: this.#kind === 'interaction' ? undefined : payload.grantId,
      payload: sealUnder(id, JSON.stringify(payload)),
    })
    const used = currentExchange()?.used
    if (this.#kind === 'refresh' && used !== undefined) {
      await nameSuccessor(this.db, { sha256: sha256Bytes(used), successor: sealUnder(used, id) })
    }
  }

  override async find(id: string): Promise<AdapterPayload | undefined> {
    const found = await findOAuthToken(this.db, { sha256: sha256Bytes(id), kind: this.#kind })
    if (found === undefined) return undefined
    const { consumedAt } = found
    return {
      ...JSON.parse(unsealUnder(id, found.payload)),
      jti: id,
      ...(consumedAt !== null && { consumed: Math.floor(consumedAt.getTime() / 1000) }),
    }
  }

  override async consume(id: string): Promise<void> {
    if (!(await consumeOAuthToken(this.db, sha256Bytes(id)))) {
      throw new errors.InvalidGrant('it must be unused. Got one that has been used')
    }
    const exchange = currentExchange()
    if (exchange && this.#kind === 'refresh') exchange.used = id
  }

  override async destroy(id: string): Promise<void> {
    await deleteOAuthToken(this.db, sha256Bytes(id))
  }
}

/** A user's consent; the consent page writes it. */
class GrantAdapter extends StoringAdapter {
  override async find(id: string): Promise<AdapterPayload | undefined> {
    const grant = await findAgentGrant(this.db, id)
    return (
      grant && {
        jti: id,
        kind: 'Grant',
        accountId: grant.userId,
        clientId: grant.clientId,
        openid: { scope: agentScope },
        resources: { [this.storage.mcpUrl]: agentScope },
        iat: Math.floor(grant.createdAt.getTime() / 1000),
        exp: Math.ceil(grant.expiresAt.getTime() / 1000),
      }
    )
  }

  override async destroy(id: string): Promise<void> {
    const reason = currentExchange()?.endReason ?? 'ended by the authorization server'
    await endAgentGrant(this.db, { id, reason })
  }
}

/** Clients that registered themselves. */
class ClientAdapter extends StoringAdapter {
  override async find(id: string): Promise<AdapterPayload | undefined> {
    const idSha256 = sha256Bytes(id)
    const found = await findOAuthClient(this.db, idSha256)
    if (found === undefined) return undefined
    const { secret } = found
    const metadata = stillAllowed(found.metadata)
    if (metadata === undefined) return undefined
    if (secret === null) return { ...metadata, client_id: id }
    const clientSecret = this.#open(secret, ownerOf(idSha256))
    if (clientSecret === undefined) return undefined
    return { ...metadata, client_id: id, client_secret: clientSecret }
  }

  /** Undefined: its key is gone. The client counts as unknown, and registers again by itself. */
  #open(secret: string, owner: string): string | undefined {
    try {
      return unseal(this.storage.sealKeys, secret, owner)
    } catch {
      return undefined
    }
  }

  override async upsert(id: string, { client_id: _, ...payload }: AdapterPayload): Promise<void> {
    const { client_secret: secret, ...metadata } = payload
    const { db, sealKeys } = this.storage
    const idSha256 = sha256Bytes(id)
    const exchange = currentExchange()
    const registered = await registerOAuthClient(db, {
      ...{ idSha256, metadata, from: exchange?.from ?? 'unknown' },
      secret: typeof secret === 'string' ? seal(sealKeys, secret, ownerOf(idSha256)) : null,
    })
    if (registered.outcome === 'registered') return
    if (exchange && registered.outcome === 'too-often') {
      exchange.retryAfterSeconds = registered.secondsLeft
    }
    throw refusedFor(registered.outcome)
  }
}

/** Drops addresses that the rules allowed once; undefined: none is left, and the client is unknown. */
function stillAllowed(metadata: Record<string, unknown>): Record<string, unknown> | undefined {
  const uris = metadata.redirect_uris as readonly unknown[]
  const allowed = uris.filter((uri) => redirectUriFault(uri) === undefined)
  return allowed.length === 0 ? undefined : { ...metadata, redirect_uris: allowed }
}

function ownerOf(idSha256: Buffer): string {
  return `oauth client ${idSha256.toString('hex')}`
}

function refusedFor(why: 'too-often' | 'full'): Error {
  const rule =
    why === 'full'
      ? `The farm keeps at most ${maxClients} registered clients`
      : `An address may register ${maxRegistrationsAnHour} clients an hour`
  const error = new errors.CustomOIDCProviderError('too_many_requests', `${rule}. Got more`)
  return Object.assign(error, { status: 429, statusCode: 429, expose: true })
}
